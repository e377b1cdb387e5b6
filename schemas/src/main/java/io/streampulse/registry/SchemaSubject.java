package io.streampulse.registry;

import io.streampulse.wire.RecordEncoder;
import io.streampulse.wire.ReleasedSchemas;
import java.util.function.Supplier;
import org.apache.avro.Schema;

/**
 * The subject under which agents keep the health record's schema in a registry.
 *
 * @param name the subject
 * @param autoRegister whether an agent registers its schema, or only looks it up
 */
public record SchemaSubject(String name, boolean autoRegister) {
  /** The subject of a topic, by the settings' naming strategy. */
  public static SchemaSubject of(String topic, String strategy, boolean autoRegister) {
    String name =
        strategy.equals("record-name")
            ? ReleasedSchemas.current().schema().getFullName()
            : topic + "-value";
    return new SchemaSubject(name, autoRegister);
  }

  /**
   * An encoder for messages with the schema's id in the registry. Blocks.
   *
   * @throws RegistryException if the registry does not give the id
   */
  public RecordEncoder encoder(SchemaRegistryClient client) {
    Schema schema = ReleasedSchemas.current().schema();
    return RecordEncoder.confluent(
        autoRegister ? client.register(name, schema) : client.lookUp(name, schema));
  }

  /**
   * Asks for such an encoder each time that it is asked for one, over one client, which it lets go
   * of once the registry has answered. Not thread-safe.
   */
  public Supplier<RecordEncoder> encoders(RegistrySettings settings) {
    return new Supplier<>() {
      private SchemaRegistryClient client;

      @Override
      public RecordEncoder get() {
        if (client == null) {
          client = new SchemaRegistryClient(settings);
        }
        RecordEncoder encoder = encoder(client);
        client = null;
        return encoder;
      }
    };
  }
}
