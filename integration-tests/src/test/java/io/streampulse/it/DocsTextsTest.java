package io.streampulse.it;

import static io.streampulse.it.ProjectFiles.ROOT;
import static io.streampulse.it.ProjectFiles.matches;
import static io.streampulse.it.ProjectFiles.read;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The texts that the operations page explains are those that the product prints. */
class DocsTextsTest {
  private static final int LONG_ENOUGH_TO_TELL = 6;
  private static final int LONG_ENOUGH_TO_BE_ONE = 10;

  @Test
  void everyTextThatOperationsExplainsIsPrinted() throws IOException {
    String printed = printedTexts();
    List<String> unknown = new ArrayList<>();
    int texts = 0;
    for (MatchResult row :
        matches("(?m)^\\| (`(?!.*, by Spark \\|).*?) \\| ", messages()).toList()) {
      for (MatchResult text : matches("`([^`]+)`", row.group(1)).toList()) {
        texts++;
        if (!isPrinted(text.group(1), printed)) {
          unknown.add(text.group(1));
        }
      }
    }

    assertThat(unknown).isEmpty();
    assertThat(texts).isGreaterThan(50);
    // A control: a text that nothing prints.
    assertThat(isPrinted("the broker refused the cookie", printed)).isFalse();
  }

  @Test
  void everyWarningAndEveryReasonOfTheQuarantineIsExplained() throws IOException {
    List<String> explained =
        matches("`([^`\n]+)`", read(ROOT.resolve("docs/operations.md")))
            .flatMap(found -> parts(found.group(1)))
            .filter(part -> part.length() >= LONG_ENOUGH_TO_BE_ONE)
            .toList();
    List<String> texts =
        matches(
                "(?:LOG\\.warn|LOG\\.error|warning\\.warn|new UndecodableException)"
                    + "\\(\\s*\"(.+?)\"\\s*[,)+.]",
                printedTexts())
            .map(found -> found.group(1))
            .toList();

    assertThat(texts).hasSizeGreaterThan(25);
    assertThat(texts).filteredOn(text -> !isExplained(text, explained)).isEmpty();
    assertThat(isExplained("The cookie of {} is stale: {}", explained)).isFalse();
  }

  private static boolean isExplained(String text, List<String> explained) {
    return explained.stream().anyMatch(text::contains);
  }

  /** Whether all that stands between its ellipses is printed. */
  private static boolean isPrinted(String text, String printed) {
    return parts(text)
        .filter(part -> part.length() >= LONG_ENOUGH_TO_TELL)
        .allMatch(printed::contains);
  }

  /** What stands between the ellipses of a text. */
  private static Stream<String> parts(String text) {
    return Stream.of(text.split("…")).map(String::strip);
  }

  private static String messages() {
    String page = read(ROOT.resolve("docs/operations.md"));
    int from = page.indexOf("\n## Messages\n");
    return page.substring(from, page.indexOf("\n## ", from + 1));
  }

  /** The sources of what runs, with literals that go over several lines made one. */
  private static String printedTexts() throws IOException {
    List<Path> sources = new ArrayList<>();
    for (String module : List.of("schemas", "listener-agent", "health-consumer")) {
      sources.addAll(ProjectFiles.below(ROOT.resolve(module + "/src/main"), ".*"));
    }
    StringBuilder all = new StringBuilder();
    sources.forEach(file -> all.append(read(file)).append('\n'));
    return all.toString().replaceAll("\"\\s*\\+\\s*\"", "");
  }
}
