package io.streampulse.consumer.capacity;

/**
 * One number of a {@link CapacityPlan}.
 *
 * @param name for programs
 * @param label for people
 * @param value in the unit
 * @param unit seconds are {@link #SECONDS}, so that they can be shown as hours
 * @param rule how it is worked out, in few words
 */
public record Figure(String name, String label, double value, String unit, String rule) {
  public static final String SECONDS = "s";
}
