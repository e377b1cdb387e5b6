package io.streampulse.wire;

import io.streampulse.schema.HealthRecord;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.avro.Schema;
import org.apache.avro.SchemaCompatibility;
import org.apache.avro.SchemaCompatibility.SchemaCompatibilityType;
import org.apache.avro.SchemaCompatibility.SchemaPairCompatibility;

/** What a schema out of a registry must be like before messages are read with it. */
final class WriterSchema {
  private WriterSchema() {}

  /**
   * Why messages of the schema can't be health records, or could keep a reader busy for ever; empty
   * where all is well.
   *
   * @param name the id by which messages name the schema
   */
  static Optional<String> refusal(Schema writer, Object name) {
    try {
      SchemaPairCompatibility compatibility =
          SchemaCompatibility.checkReaderWriterCompatibility(HealthRecord.getClassSchema(), writer);
      if (compatibility.getType() != SchemaCompatibilityType.COMPATIBLE) {
        return Optional.of(
            "The schema with id %s is no health record's: %s"
                .formatted(
                    name,
                    compatibility.getResult().getIncompatibilities().stream()
                        .map(i -> "%s at %s".formatted(i.getType(), i.getLocation()))
                        .limit(3)
                        .collect(Collectors.joining(", "))));
      }
      return repeatsNothing(writer, new HashSet<>())
          ? Optional.of(
              "The schema with id %s has an array of items without bytes: its length is not bounded by the message's"
                  .formatted(name))
          : Optional.empty();
    } catch (RuntimeException | StackOverflowError e) {
      return Optional.of("The schema with id %s can't be looked through: %s".formatted(name, e));
    }
  }

  private static boolean repeatsNothing(Schema schema, Set<String> seen) {
    return switch (schema.getType()) {
      case ARRAY ->
          isEmpty(schema.getElementType(), new HashSet<>())
              || repeatsNothing(schema.getElementType(), seen);
      case MAP -> repeatsNothing(schema.getValueType(), seen);
      case UNION -> schema.getTypes().stream().anyMatch(branch -> repeatsNothing(branch, seen));
      case RECORD ->
          seen.add(schema.getFullName())
              && schema.getFields().stream().anyMatch(f -> repeatsNothing(f.schema(), seen));
      default -> false;
    };
  }

  /** Whether a value can take no bytes at all. */
  private static boolean isEmpty(Schema schema, Set<String> seen) {
    return switch (schema.getType()) {
      case NULL -> true;
      case FIXED -> schema.getFixedSize() == 0;
      case RECORD ->
          !seen.add(schema.getFullName())
              || schema.getFields().stream().allMatch(f -> isEmpty(f.schema(), seen));
      default -> false;
    };
  }
}
