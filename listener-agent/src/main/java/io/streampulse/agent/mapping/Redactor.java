package io.streampulse.agent.mapping;

import io.streampulse.connection.ExposedSecrets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * Takes secrets out of texts before they leave the process: exceptions, descriptions, tags. Knows
 * passwords and keys written {@code name=value} or {@code name: value}, JAAS lines, connection
 * strings, bearer tokens and URLs with a login, and applies Spark's own patterns besides: a custom
 * {@code spark.redaction.regex} replaces Spark's default, so ours always applies too.
 *
 * <p>Immutable and thread-safe.
 */
final class Redactor {
  static final String HIDDEN = "***";

  /**
   * What is left of a text is not longer than it was by much, and no pattern backtracks over it.
   */
  private static final List<Replacement> OWN =
      List.of(
          new Replacement(
              "(?i)((?:password|passwd|pwd|secret|token|credential|api[_.-]?key|access[_.-]?key"
                  + "|account[_.-]?key|private[_.-]?key)[\\w.-]{0,40}\"?\\s{0,8}[=:]\\s{0,8})"
                  + "(?:\"[^\"\\\\]*+(?:\\\\.?+[^\"\\\\]*+)*+(?:\"|$)|'[^']*(?:'|$)|[^\\s,;&\"']+)",
              "$1" + HIDDEN),
          new Replacement("(?i)\\b(bearer|basic)\\s+[\\w.~+/=-]{8,}", "$1 " + HIDDEN),
          new Replacement("(?i)([?&;](?:sig|signature)=)[^\\s&;]+", "$1" + HIDDEN),
          new Replacement("(://)[^/\\s:@]{0,256}:[^/\\s@]{1,256}@", "$1" + HIDDEN + "@"));

  private final Pattern namesOrValues;
  private final Pattern texts;

  private Redactor(Pattern namesOrValues, Pattern texts) {
    this.namesOrValues = namesOrValues;
    this.texts = texts;
  }

  /** A redactor with the application's patterns; one that can't be read is left out. */
  static Redactor of(Map<String, String> conf) {
    return new Redactor(
        pattern(conf.getOrDefault("spark.redaction.regex", ExposedSecrets.SPARKS)),
        pattern(conf.get("spark.redaction.string.regex")));
  }

  /** The text without secrets; null stays null. */
  String text(String text) {
    if (text == null) {
      return null;
    }
    try {
      String redacted = text;
      for (Replacement replacement : OWN) {
        redacted = replacement.pattern.matcher(redacted).replaceAll(replacement.by);
      }
      return texts == null ? redacted : texts.matcher(redacted).replaceAll(HIDDEN);
    } catch (StackOverflowError e) { // a user's pattern over a long text, such as (?:a|b)*
      return HIDDEN;
    }
  }

  /** Labels whose name or value looks like a secret lose their value. */
  Map<String, String> labels(Map<String, String> labels) {
    Map<String, String> redacted = new HashMap<>();
    labels.forEach(
        (name, value) ->
            redacted.put(name, isSecret(name) || isSecret(value) ? HIDDEN : text(value)));
    return redacted;
  }

  private boolean isSecret(String text) {
    try {
      return namesOrValues != null && namesOrValues.matcher(text).find();
    } catch (StackOverflowError e) { // see text
      return true;
    }
  }

  private static Pattern pattern(String regex) {
    try {
      return regex == null || regex.isEmpty() ? null : Pattern.compile(regex);
    } catch (PatternSyntaxException e) {
      return null;
    }
  }

  private static final class Replacement {
    private final Pattern pattern;
    private final String by;

    Replacement(String regex, String by) {
      this.pattern = Pattern.compile(regex);
      this.by = by.replace(HIDDEN, Matcher.quoteReplacement(HIDDEN));
    }
  }
}
