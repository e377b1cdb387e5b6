package io.streampulse.config;

import java.io.Serializable;

/**
 * A password or token: its text is stars wherever it is printed.
 *
 * @param value what it really is; empty where there is none
 */
public record Secret(String value) implements Serializable {
  /** None. */
  public static final Secret NONE = new Secret("");

  public boolean isGiven() {
    return !value.isEmpty();
  }

  @Override
  public String toString() {
    return isGiven() ? "***" : "";
  }
}
