package io.streampulse.it;

import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serializer;

/**
 * Reads a message with Apicurio's own deserializer and writes it again with its serializer; runs on
 * their class path, not on this module's.
 */
public final class ApicurioPeer {
  private static final String SERDE = "io.apicurio.registry.serde.avro.AvroKafka";

  private ApicurioPeer() {}

  /** Arguments: registry, topic, message in hex. Prints the record as JSON and the message. */
  @SuppressWarnings("unchecked") // Kafka's interfaces are of objects here
  public static void main(String... arguments) throws Exception {
    Map<String, Object> settings = new HashMap<>();
    settings.put("apicurio.registry.url", arguments[0] + "/apis/registry/v2");
    settings.put("apicurio.registry.auto-register", "true");
    settings.put("apicurio.registry.http.adapter", "JDK");
    Deserializer<Object> reader =
        Class.forName(SERDE + "Deserializer")
            .asSubclass(Deserializer.class)
            .getConstructor()
            .newInstance();
    Serializer<Object> writer =
        Class.forName(SERDE + "Serializer")
            .asSubclass(Serializer.class)
            .getConstructor()
            .newInstance();
    reader.configure(settings, false);
    writer.configure(settings, false);
    Object record = reader.deserialize(arguments[1], HexFormat.of().parseHex(arguments[2]));
    System.out.println("record " + record);
    byte[] message = writer.serialize(arguments[1], new RecordHeaders(), record);
    System.out.println("message " + HexFormat.of().formatHex(message));
    System.exit(0); // its HTTP client's threads would keep it alive
  }
}
