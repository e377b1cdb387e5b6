package io.streampulse.consumer.capacity;

import java.util.Locale;

/** Rounding and printing, the same on every machine. */
final class Numbers {
  private static final double NOISE = 1e-9;

  private Numbers() {}

  /** The next whole number, where what floating point adds to a whole one does not count. */
  static long up(double number) {
    return (long) Math.ceil(number * (1 - NOISE));
  }

  static String text(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
