package io.streampulse.wire;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.avro.JsonProperties;
import org.apache.avro.Schema;
import org.apache.avro.SchemaCompatibility;
import org.apache.avro.SchemaCompatibility.SchemaCompatibilityType;
import org.apache.avro.SchemaCompatibility.SchemaPairCompatibility;

/**
 * The rules by which the health record's schema may change, so that agents and consumers of all
 * versions understand each other and the table's columns only ever grow:
 *
 * <ol>
 *   <li>no-removal: a field stays for ever, under its name;
 *   <li>no-retype: a field keeps its type, its unit and whether it may be null; a record or enum
 *       keeps its full name;
 *   <li>new-is-optional: a new field is nullable with default null, or a map or array with an empty
 *       default;
 *   <li>enum-default: an enum has a default, which readers that do not know a symbol read, and
 *       keeps it and its symbols;
 *   <li>is-a-column: a field's type is one that the table has, and its name differs from those of
 *       the others, and of the table's own columns, in more than case;
 *   <li>full-transitive: Avro itself reads each version with each other one.
 * </ol>
 */
final class EvolutionRules {
  private static final Set<Schema.Type> NAMED = Set.of(Schema.Type.RECORD, Schema.Type.ENUM);
  private static final Set<String> COLUMNS_OF_THE_TABLE = Set.of("kafka", "ingestedat");

  private final List<String> broken = new ArrayList<>();

  private EvolutionRules() {}

  /** What the versions, the oldest first, break; empty where all is well. */
  static List<String> broken(List<Schema> versions) {
    EvolutionRules rules = new EvolutionRules();
    for (int newer = 0; newer < versions.size(); newer++) {
      rules.enums(versions.get(newer), "", new HashSet<>());
      rules.columns("", versions.get(newer));
      for (int older = 0; older < newer; older++) {
        rules.compare("", versions.get(older), versions.get(newer));
        rules.reads(versions.get(older), versions.get(newer), "an older reader, a newer writer");
        rules.reads(versions.get(newer), versions.get(older), "a newer reader, an older writer");
      }
    }
    return rules.broken.stream().distinct().toList();
  }

  private void compare(String path, Schema older, Schema newer) {
    if (older.getType() != newer.getType()
        || !Objects.equals(older.getLogicalType(), newer.getLogicalType())) {
      broken.add(
          "no-retype: %s was %s and is %s: add a field of another name"
              .formatted(path, text(older), text(newer)));
      return;
    }
    if (NAMED.contains(older.getType()) && !older.getFullName().equals(newer.getFullName())) {
      broken.add(
          "no-retype: %s was %s and is %s: names of types stay"
              .formatted(path, older.getFullName(), newer.getFullName()));
    }
    switch (older.getType()) {
      case RECORD -> compareFields(path, older, newer);
      case ARRAY -> compare(path + "[]", older.getElementType(), newer.getElementType());
      case MAP -> compare(path + "{}", older.getValueType(), newer.getValueType());
      case UNION -> compareUnions(path, older, newer);
      case ENUM -> {
        if (!newer.getEnumSymbols().containsAll(older.getEnumSymbols())) {
          broken.add("enum-default: a symbol of %s is gone: symbols stay".formatted(path));
        }
        if (!Objects.equals(older.getEnumDefault(), newer.getEnumDefault())) {
          broken.add("enum-default: the default of %s has changed".formatted(path));
        }
      }
      default -> {}
    }
  }

  private void compareUnions(String path, Schema older, Schema newer) {
    if (older.getTypes().size() != newer.getTypes().size()) {
      broken.add("no-retype: %s was %s and is %s".formatted(path, text(older), text(newer)));
      return;
    }
    for (int branch = 0; branch < older.getTypes().size(); branch++) {
      compare(path, older.getTypes().get(branch), newer.getTypes().get(branch));
    }
  }

  private void compareFields(String path, Schema older, Schema newer) {
    for (Schema.Field field : older.getFields()) {
      Schema.Field now = newer.getField(field.name());
      if (now == null) {
        broken.add(
            "no-removal: the field %s%s is gone: leave it, and write null"
                .formatted(prefix(path), field.name()));
      } else {
        compare(prefix(path) + field.name(), field.schema(), now.schema());
      }
    }
    for (Schema.Field field : newer.getFields()) {
      if (older.getField(field.name()) == null && !isOptional(field)) {
        broken.add(
            "new-is-optional: the new field %s%s must be a union of null and one type with default null, or a map or array with an empty default"
                .formatted(prefix(path), field.name()));
      }
    }
  }

  private static boolean isOptional(Schema.Field field) {
    if (!field.hasDefaultValue()) {
      return false;
    }
    return switch (field.schema().getType()) {
      case ARRAY -> field.defaultVal() instanceof Collection<?> items && items.isEmpty();
      case MAP -> field.defaultVal() instanceof Map<?, ?> entries && entries.isEmpty();
      case UNION ->
          field.schema().getTypes().size() == 2
              && field.schema().getTypes().get(0).getType() == Schema.Type.NULL
              && field.defaultVal() == JsonProperties.NULL_VALUE;
      default -> false;
    };
  }

  private void enums(Schema schema, String path, Set<String> seen) {
    switch (schema.getType()) {
      case RECORD -> {
        if (seen.add(schema.getFullName())) {
          schema.getFields().forEach(f -> enums(f.schema(), prefix(path) + f.name(), seen));
        }
      }
      case ARRAY -> enums(schema.getElementType(), path + "[]", seen);
      case MAP -> enums(schema.getValueType(), path + "{}", seen);
      case UNION -> schema.getTypes().forEach(branch -> enums(branch, path, seen));
      case ENUM -> {
        if (schema.getEnumDefault() == null) {
          broken.add("enum-default: the enum at %s has no default".formatted(path));
        }
      }
      default -> {}
    }
  }

  private void columns(String path, Schema schema) {
    switch (schema.getType()) {
      case STRING, BOOLEAN, INT, LONG, DOUBLE, ENUM, NULL -> {}
      case ARRAY -> columns(path + "[]", schema.getElementType());
      case MAP -> columns(path + "{}", schema.getValueType());
      case UNION -> schema.getTypes().forEach(branch -> columns(path, branch));
      case RECORD -> {
        Set<String> names = new HashSet<>(path.isEmpty() ? COLUMNS_OF_THE_TABLE : Set.of());
        for (Schema.Field field : schema.getFields()) {
          if (!names.add(field.name().toLowerCase(Locale.ROOT))) {
            broken.add(
                "is-a-column: the name of %s%s is another column's"
                    .formatted(prefix(path), field.name()));
          }
          columns(prefix(path) + field.name(), field.schema());
        }
      }
      default ->
          broken.add("is-a-column: the table has no type for %s: %s".formatted(path, text(schema)));
    }
  }

  private void reads(Schema reader, Schema writer, String who) {
    SchemaPairCompatibility pair =
        SchemaCompatibility.checkReaderWriterCompatibility(reader, writer);
    if (pair.getType() != SchemaCompatibilityType.COMPATIBLE) {
      pair.getResult()
          .getIncompatibilities()
          .forEach(
              i ->
                  broken.add(
                      "full-transitive: %s: %s at %s"
                          .formatted(who, i.getType(), i.getLocation())));
    }
  }

  private static String prefix(String path) {
    return path.isEmpty() ? "" : path + ".";
  }

  private static String text(Schema schema) {
    String logical = schema.getLogicalType() == null ? "" : "/" + schema.getLogicalType().getName();
    return schema.getType().getName() + logical;
  }
}
