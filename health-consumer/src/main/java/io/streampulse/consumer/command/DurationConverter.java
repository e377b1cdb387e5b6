package io.streampulse.consumer.command;

import io.streampulse.config.Durations;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Durations of the command line, written as in settings. */
final class DurationConverter implements ITypeConverter<Duration> {
  @Override
  public Duration convert(String text) {
    try {
      return Durations.parse(text);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException("'" + text + "' is " + e.getMessage() + ": write 10min");
    }
  }
}
