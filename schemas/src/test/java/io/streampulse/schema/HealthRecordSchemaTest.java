package io.streampulse.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.avro.Schema;
import org.junit.jupiter.api.Test;

class HealthRecordSchemaTest {
  private static final Schema SCHEMA = HealthRecord.getClassSchema();
  private static final Set<String> ALWAYS_WRITTEN =
      Set.of("agentId", "sequence", "eventType", "eventTime", "observedTime", "agentVersion");

  @Test
  void everyFieldIsDocumented() {
    List<String> undocumented = new ArrayList<>();
    walk(SCHEMA, field -> check(field, undocumented));

    assertThat(undocumented).isEmpty();
  }

  @Test
  void everyFieldThatMayBeAbsentHasADefault() {
    for (Schema.Field field : SCHEMA.getFields()) {
      assertThat(field.hasDefaultValue())
          .as(field.name())
          .isEqualTo(!ALWAYS_WRITTEN.contains(field.name()));
    }
  }

  @Test
  void unknownEventTypesHaveAPlace() {
    Schema eventType = SCHEMA.getField("eventType").schema();

    assertThat(eventType.getEnumDefault()).isEqualTo("UNKNOWN");
    assertThat(eventType.getEnumSymbols().get(0)).isEqualTo("UNKNOWN");
  }

  private static void check(Schema.Field field, List<String> undocumented) {
    if (field.doc() == null || !field.doc().endsWith(".")) {
      undocumented.add(field.name());
    }
  }

  private static void walk(Schema schema, java.util.function.Consumer<Schema.Field> visitor) {
    switch (schema.getType()) {
      case RECORD ->
          schema
              .getFields()
              .forEach(
                  field -> {
                    visitor.accept(field);
                    walk(field.schema(), visitor);
                  });
      case ARRAY -> walk(schema.getElementType(), visitor);
      case MAP -> walk(schema.getValueType(), visitor);
      case UNION -> schema.getTypes().forEach(branch -> walk(branch, visitor));
      default -> {}
    }
  }
}
