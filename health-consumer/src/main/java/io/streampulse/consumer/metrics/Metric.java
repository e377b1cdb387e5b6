package io.streampulse.consumer.metrics;

import java.util.List;

/**
 * What is known of a metric apart from its values.
 *
 * @param name as Prometheus has it
 * @param unit what its value counts; empty where it is a flag
 * @param labels all of its labels, in the order of the documentation
 */
public record Metric(String name, Type type, String unit, List<String> labels, String help) {
  /** The types of Prometheus that are in use. */
  public enum Type {
    GAUGE,
    COUNTER
  }

  public Metric {
    labels = List.copyOf(labels);
  }

  static Metric gauge(String name, String unit, String help, String... labels) {
    return new Metric(name, Type.GAUGE, unit, List.of(labels), help);
  }

  static Metric counter(String name, String unit, String help, String... labels) {
    return new Metric(name, Type.COUNTER, unit, List.of(labels), help);
  }

  /** The name from which Micrometer makes this one. */
  String meterName() {
    return (type == Type.COUNTER ? name.replaceFirst("_total$", "") : name).replace('_', '.');
  }
}
