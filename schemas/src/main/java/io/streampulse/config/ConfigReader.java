package io.streampulse.config;

import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Reads {@link ConfigKey}s out of Spark conf and keeps every problem, so that a user sees all of
 * them at once: read all keys first, then call {@link #throwIfProblems()}.
 *
 * <p>A value may be written {@code ${env:NAME}} or {@code ${file:path}}; see {@link
 * ValueReferences}. Not thread-safe.
 */
public final class ConfigReader {
  private final Map<String, String> conf;
  private final ValueReferences references;
  private final Set<String> problems = new LinkedHashSet<>();

  /** A reader that resolves references against this process's environment and files. */
  public ConfigReader(Map<String, String> conf) {
    this(conf, ValueReferences.ofProcess());
  }

  ConfigReader(Map<String, String> conf, ValueReferences references) {
    this.conf = Map.copyOf(conf);
    this.references = references;
  }

  /** The value, or empty where it is absent, has no default, or is wrong (a problem is kept). */
  public <T> Optional<T> find(ConfigKey<T> key) {
    Optional<String> given = text(key.name());
    if (given.isEmpty() && key.required() && !conf.containsKey(key.name())) {
      problems.add("%s is required: %s".formatted(key.name(), key.doc()));
    }
    return given.or(key::defaultText).flatMap(text -> parse(key, text));
  }

  /**
   * The value of a key that has a default or must be given. Where it is wrong, a problem is kept
   * and the default returned (null where there is none): the caller ends in {@link
   * #throwIfProblems()}.
   */
  public <T> T value(ConfigKey<T> key) {
    return find(key)
        .orElseGet(() -> key.defaultText().map(text -> key.type().parse(text)).orElse(null));
  }

  /** All settings below a prefix, by the rest of their name. */
  public Map<String, String> below(String prefix) {
    Map<String, String> found = new TreeMap<>();
    for (String name : conf.keySet()) {
      if (name.startsWith(prefix) && name.length() > prefix.length()) {
        text(name).ifPresent(value -> found.put(name.substring(prefix.length()), value));
      }
    }
    return found;
  }

  /** Whether the user has set it. */
  public boolean isGiven(ConfigKey<?> key) {
    return conf.containsKey(key.name());
  }

  /**
   * The settings under our prefix that no key explains, each with the nearest name there is.
   *
   * @param known the keys of this side
   * @param otherPrefixes prefixes that are someone else's, or open to any name
   */
  public List<String> unknown(Collection<ConfigKey<?>> known, Collection<String> otherPrefixes) {
    Set<String> names = new HashSet<>();
    known.forEach(key -> names.add(key.name()));
    return conf.keySet().stream()
        .filter(name -> name.startsWith(ConfigKey.PREFIX))
        .filter(name -> !names.contains(name) && !name.startsWith(ConfigKey.KAFKA_PREFIX))
        .filter(name -> otherPrefixes.stream().noneMatch(name::startsWith))
        .sorted()
        .map(name -> name + " is not a setting" + Spelling.suggestion(name, names))
        .toList();
  }

  public void problem(String sentence) {
    problems.add(sentence);
  }

  /**
   * Ends the reading.
   *
   * @throws ConfigException with every problem seen so far, if there was any
   */
  public void throwIfProblems() {
    if (!problems.isEmpty()) {
      throw new ConfigException(List.copyOf(problems));
    }
  }

  private Optional<String> text(String name) {
    String raw = conf.get(name);
    if (raw == null) {
      return Optional.empty();
    }
    if (raw.contains("{{secrets/")) {
      problems.add(
          "%s still holds {{secrets/...}}: Databricks puts the secret there only where it is the whole value of a setting in the cluster's or job's Spark conf"
              .formatted(name));
      return Optional.empty();
    }
    try {
      return Optional.of(references.resolve(raw));
    } catch (IllegalArgumentException e) {
      problems.add(name + ": " + e.getMessage());
      return Optional.empty();
    }
  }

  private <T> Optional<T> parse(ConfigKey<T> key, String text) {
    T value;
    try {
      value = key.type().parse(text);
    } catch (IllegalArgumentException e) {
      problems.add(
          "%s = \"%s\" is not a valid %s: write %s"
              .formatted(key.name(), shown(key), noun(key), key.type().example()));
      return Optional.empty();
    }
    if (!key.check().test(value)) {
      problems.add("%s = \"%s\" %s".formatted(key.name(), shown(key), key.rule()));
      return Optional.empty();
    }
    return Optional.of(value);
  }

  private static String noun(ConfigKey<?> key) {
    return key.type().label().contains("|") ? "choice" : key.type().label();
  }

  /** The value as it was given: what a reference stands for may be a secret. */
  private String shown(ConfigKey<?> key) {
    if (key.isSecret()) {
      return "***";
    }
    String text = conf.getOrDefault(key.name(), "");
    if (text.contains("://") && text.contains("@")) { // it may hold a login
      return "***";
    }
    return text.length() <= 60 ? text : text.substring(0, 60) + "...";
  }
}
