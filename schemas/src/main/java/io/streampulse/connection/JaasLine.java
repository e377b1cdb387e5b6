package io.streampulse.connection;

import java.io.IOException;
import java.io.StreamTokenizer;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A line of Kafka's {@code sasl.jaas.config}: {@code CLASS required name="value" …;}.
 *
 * @param loginModule name of the class
 * @param options what it is given
 */
record JaasLine(String loginModule, Map<String, String> options) {
  JaasLine {
    options = Collections.unmodifiableMap(new LinkedHashMap<>(options));
  }

  /** Reads a line as Kafka's client does; empty where that would refuse it. */
  static Optional<JaasLine> parse(String text) {
    StreamTokenizer tokens = new StreamTokenizer(new StringReader(text));
    tokens.slashSlashComments(true);
    tokens.slashStarComments(true);
    tokens.wordChars('-', '-');
    tokens.wordChars('_', '_');
    tokens.wordChars('$', '$');
    try {
      Optional<JaasLine> line = line(tokens);
      return tokens.nextToken() == StreamTokenizer.TT_EOF ? line : Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // a text has none
    }
  }

  private static Optional<JaasLine> line(StreamTokenizer tokens) throws IOException {
    tokens.nextToken();
    String module = tokens.sval;
    tokens.nextToken();
    if (module == null || tokens.sval == null || !isFlag(tokens.sval)) {
      return Optional.empty();
    }
    Map<String, String> options = new LinkedHashMap<>();
    while (tokens.nextToken() != ';') {
      String name = tokens.sval;
      if (tokens.ttype == StreamTokenizer.TT_EOF || name == null || tokens.nextToken() != '=') {
        return Optional.empty();
      }
      tokens.nextToken();
      if (tokens.sval == null) {
        return Optional.empty();
      }
      options.put(name, tokens.sval);
    }
    return Optional.of(new JaasLine(module, options));
  }

  private static boolean isFlag(String word) {
    return Set.of("required", "requisite", "sufficient", "optional")
        .contains(word.toLowerCase(Locale.ROOT));
  }

  /** The text that Kafka's client reads as this line. */
  String text() {
    StringBuilder text = new StringBuilder(loginModule).append(" required");
    options.forEach(
        (name, value) ->
            text.append(' ').append(name).append("=\"").append(escaped(value)).append('"'));
    return text.append(';').toString();
  }

  JaasLine withLoginModule(String name) {
    return new JaasLine(name, options);
  }

  @Override
  public String toString() {
    return loginModule + " required ***;";
  }

  private static String escaped(String value) {
    return value
        .replace("\\", "\\\\")
        .replace("\"", "\\\"")
        .replace("\r", "\\r")
        .replace("\n", "\\n");
  }
}
