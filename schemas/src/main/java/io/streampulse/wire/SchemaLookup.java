package io.streampulse.wire;

import java.util.UUID;
import org.apache.avro.Schema;

/**
 * Finds the schema that a message names by its id in a registry. Thread-safe.
 *
 * <p>A method may block for as long as the registry may be away, and then throws an unchecked
 * exception: that says nothing about the message.
 */
public interface SchemaLookup {
  /**
   * The schema with an id.
   *
   * @throws UndecodableException if there certainly is none, or none for Avro
   */
  Schema byId(int id) throws UndecodableException;

  /**
   * The schema with a globally unique id.
   *
   * @throws UndecodableException if there certainly is none, or none for Avro
   */
  Schema byGuid(UUID guid) throws UndecodableException;

  /** Where no registry is set. */
  static SchemaLookup none() {
    return new SchemaLookup() {
      @Override
      public Schema byId(int id) throws UndecodableException {
        throw none("id " + id);
      }

      @Override
      public Schema byGuid(UUID guid) throws UndecodableException {
        throw none("GUID " + guid);
      }

      private UndecodableException none(String id) {
        return new UndecodableException(
            "The message names its schema by %s of a registry, and spark.streampulse.schema-registry.url is not set"
                .formatted(id));
      }
    };
  }
}
