package io.streampulse.config;

import java.util.List;

/**
 * Settings that can't be used, all of them together. The message is for the operator: one line for
 * each problem, naming the key and what to write instead; a value is shown only where it can't be a
 * secret.
 */
public final class ConfigException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient List<String> problems;

  public ConfigException(List<String> problems) {
    super(String.join("\n", problems));
    this.problems = List.copyOf(problems);
  }

  /** One sentence for each problem. */
  public List<String> problems() {
    return problems;
  }
}
