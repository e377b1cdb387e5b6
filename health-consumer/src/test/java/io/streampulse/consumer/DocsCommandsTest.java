package io.streampulse.consumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Commands of the documents are parsed by the command line they are meant for. */
class DocsCommandsTest {
  private static final Path ROOT = Path.of("..");

  /** A block's line, or code within a line; what it stands for has a name or an ellipsis. */
  private static final Pattern COMMAND =
      Pattern.compile("(?m)(?:^ *|`)(?:\\S*bin/)?health-consumer ([a-z]+\\b[^`\n#]*)");

  @Test
  void areParsed() throws IOException {
    List<String> wrong = new ArrayList<>();
    int commands = 0;
    for (Path document : documents()) {
      List<String> found =
          COMMAND.matcher(Files.readString(document)).results().map(r -> r.group(1)).toList();
      for (String command : found) {
        for (String one : alternatives(command.strip())) {
          commands++;
          try {
            parse(one);
          } catch (MissingParameterException e) {
            if (one.matches(".*[^a-z -].*|.* --.*")) { // else it is only named
              wrong.add("%s: %s: %s".formatted(document, one, e.getMessage()));
            }
          } catch (ParameterException e) {
            wrong.add("%s: %s: %s".formatted(document, one, e.getMessage()));
          }
        }
      }
    }

    assertThat(wrong).isEmpty();
    assertThat(commands).isGreaterThan(20);
    // A control.
    assertThatThrownBy(() -> parse("status --jsno")).isInstanceOf(UnmatchedArgumentException.class);
  }

  private static void parse(String command) {
    Main.commandLine().parseArgs(command.split("\\s+"));
  }

  /** {@code checkpoint inspect|settle} is two commands. */
  private static List<String> alternatives(String command) {
    List<String> words = List.of(command.split("\\s+"));
    return words.stream()
        .filter(word -> word.contains("|"))
        .findFirst()
        .map(word -> Stream.of(word.split("\\|")).map(one -> command.replace(word, one)).toList())
        .orElse(List.of(command));
  }

  private static List<Path> documents() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT)) {
      return files
          .filter(file -> file.toString().endsWith(".md"))
          .filter(file -> !file.toString().matches(".*/(target|node_modules|\\.git)/.*"))
          .toList();
    }
  }
}
