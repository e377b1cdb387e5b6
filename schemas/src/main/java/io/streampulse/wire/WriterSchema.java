package io.streampulse.wire;

import io.streampulse.schema.HealthRecord;
import java.util.HashSet;
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
   * Checks that messages of the schema can be health records, and that none of them can keep a
   * reader busy for ever.
   *
   * @param name how the message names the schema
   * @return the schema
   */
  static Schema required(Schema writer, String name) throws UndecodableException {
    SchemaPairCompatibility compatibility =
        SchemaCompatibility.checkReaderWriterCompatibility(HealthRecord.getClassSchema(), writer);
    if (compatibility.getType() != SchemaCompatibilityType.COMPATIBLE) {
      throw new UndecodableException(
          "The schema with %s is no health record's: %s"
              .formatted(
                  name,
                  compatibility.getResult().getIncompatibilities().stream()
                      .map(i -> "%s at %s".formatted(i.getType(), i.getLocation()))
                      .limit(3)
                      .collect(Collectors.joining(", "))));
    }
    if (repeatsNothing(writer, new HashSet<>())) {
      throw new UndecodableException(
          "The schema with %s has an array of items without bytes: its length is not bounded by the message's"
              .formatted(name));
    }
    return writer;
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
