package io.streampulse.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Replaces {@code ${env:NAME}} and {@code ${file:path}} in a value by the environment variable or
 * by the text of the file (without white space at its end), so that secrets need not stand in conf.
 * What is put in is not looked at again.
 */
final class ValueReferences {
  private static final Pattern REFERENCE = Pattern.compile("\\$\\{(env|file):([^}]*)}");

  private final Function<String, String> environment;

  ValueReferences(Function<String, String> environment) {
    this.environment = environment;
  }

  static ValueReferences ofProcess() {
    return new ValueReferences(System::getenv);
  }

  /**
   * The value with its references replaced.
   *
   * @throws IllegalArgumentException naming the variable or file that can't be read
   */
  String resolve(String value) {
    Matcher matcher = REFERENCE.matcher(value);
    StringBuilder resolved = new StringBuilder();
    while (matcher.find()) {
      String target = matcher.group(2);
      String text = matcher.group(1).equals("env") ? variable(target) : file(target);
      matcher.appendReplacement(resolved, Matcher.quoteReplacement(text));
    }
    return matcher.appendTail(resolved).toString();
  }

  private String variable(String name) {
    String text = environment.apply(name);
    if (text == null) {
      throw new IllegalArgumentException("the environment variable " + name + " is not set");
    }
    return text;
  }

  private static String file(String path) {
    try {
      return Files.readString(Path.of(path)).stripTrailing();
    } catch (IOException | RuntimeException e) {
      throw new IllegalArgumentException(
          "the file "
              + path
              + " can't be read ("
              + e.getClass().getSimpleName()
              + "): check the path and its permissions",
          e);
    }
  }
}
