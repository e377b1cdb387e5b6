package io.streampulse.confluent;

import static org.assertj.core.api.Assertions.assertThat;

import io.confluent.kafka.schemaregistry.avro.AvroSchema;
import io.confluent.kafka.schemaregistry.client.MockSchemaRegistryClient;
import io.confluent.kafka.serializers.KafkaAvroDeserializer;
import io.confluent.kafka.serializers.KafkaAvroSerializer;
import io.streampulse.schema.HealthRecord;
import io.streampulse.testing.HealthMessages;
import io.streampulse.wire.RecordDecoder;
import io.streampulse.wire.RecordEncoder;
import io.streampulse.wire.ReleasedSchemas;
import io.streampulse.wire.SchemaLookup;
import java.util.Map;
import java.util.UUID;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;

/** Confluent's own serializer and ours write the same bytes, and each reads the other's. */
class ConfluentSerializerTest {
  private static final String TOPIC = "streaming-health";
  private static final Schema SCHEMA = ReleasedSchemas.current().schema();

  @Test
  void bytesAreEqualAndReadInBothDirections() throws Exception {
    MockSchemaRegistryClient registry = new MockSchemaRegistryClient();
    int id = registry.register(TOPIC + "-value", new AvroSchema(SCHEMA));
    Map<String, Object> settings =
        Map.of("schema.registry.url", "mock://streampulse", "auto.register.schemas", false);
    try (KafkaAvroSerializer serializer = new KafkaAvroSerializer(registry, settings);
        KafkaAvroDeserializer deserializer = new KafkaAvroDeserializer(registry, settings)) {
      HealthRecord record = new RecordDecoder().decode(HealthMessages.numbered(7));
      byte[] ours = RecordEncoder.confluent(id).encode(record);

      GenericRecord read = (GenericRecord) deserializer.deserialize(TOPIC, ours);
      assertThat(read).hasToString(record.toString());
      byte[] theirs = serializer.serialize(TOPIC, read);
      assertThat(theirs).isEqualTo(ours);
      assertThat(new RecordDecoder(only(id)).decode(theirs)).isEqualTo(record);
    }
  }

  private static SchemaLookup only(int id) {
    return new SchemaLookup() {
      @Override
      public Schema byId(int asked) {
        assertThat(asked).isEqualTo(id);
        return SCHEMA;
      }

      @Override
      public Schema byGuid(UUID guid) {
        throw new AssertionError(guid);
      }
    };
  }
}
