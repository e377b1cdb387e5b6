package io.streampulse.consumer.metrics;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads Prometheus' text format, strictly: what it can't read is a failure. */
final class Exposition {
  private static final Pattern HELP = Pattern.compile("# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (.*)");
  private static final Pattern TYPE =
      Pattern.compile("# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (gauge|counter)");
  private static final Pattern SAMPLE =
      Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(.*)\\})? (\\S+)");
  private static final Pattern LABEL =
      Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\]|\\\\[\\\\\"n])*)\"(?:,|$)");

  final Map<String, String> types = new TreeMap<>();
  final Map<String, String> helps = new TreeMap<>();
  final Map<String, Map<Map<String, String>, Double>> samples = new LinkedHashMap<>();

  static Exposition parse(String text) {
    Exposition exposition = new Exposition();
    if (!text.endsWith("\n")) {
      throw new IllegalArgumentException("The last line has no end");
    }
    text.lines().forEach(exposition::line);
    return exposition;
  }

  /** The value of a series; null where there is none. */
  Double value(String name, String... labels) {
    Map<String, String> wanted = new TreeMap<>();
    for (int i = 0; i < labels.length; i += 2) {
      wanted.put(labels[i], labels[i + 1]);
    }
    return samples.getOrDefault(name, Map.of()).entrySet().stream()
        .filter(sample -> sample.getKey().entrySet().containsAll(wanted.entrySet()))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse(null);
  }

  private void line(String line) {
    Matcher help = HELP.matcher(line);
    Matcher type = TYPE.matcher(line);
    Matcher sample = SAMPLE.matcher(line);
    if (help.matches()) {
      once(helps.put(help.group(1), help.group(2)), line);
    } else if (type.matches()) {
      once(types.put(type.group(1), type.group(2)), line);
    } else if (sample.matches() && types.containsKey(sample.group(1))) {
      once(
          samples
              .computeIfAbsent(sample.group(1), name -> new LinkedHashMap<>())
              .put(labels(sample.group(2)), Double.valueOf(sample.group(3))),
          line);
    } else {
      throw new IllegalArgumentException("Not of the format: " + line);
    }
  }

  private static Map<String, String> labels(String text) {
    Map<String, String> labels = new TreeMap<>();
    if (text == null) {
      return labels;
    }
    Matcher label = LABEL.matcher(text);
    int end = 0;
    while (end < text.length()) {
      if (!label.find(end) || label.start() != end) {
        throw new IllegalArgumentException("Not labels: " + text);
      }
      once(labels.put(label.group(1), unescape(label.group(2))), text);
      end = label.end();
    }
    return labels;
  }

  private static String unescape(String value) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == '\\') {
        i++;
        text.append(value.charAt(i) == 'n' ? '\n' : value.charAt(i));
      } else {
        text.append(c);
      }
    }
    return text.toString();
  }

  private static void once(Object before, String line) {
    if (before != null) {
      throw new IllegalArgumentException("Twice: " + line);
    }
  }
}
