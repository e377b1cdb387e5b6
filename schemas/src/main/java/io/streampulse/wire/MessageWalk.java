package io.streampulse.wire;

import org.apache.avro.Schema;

/**
 * Goes over an Avro body once, without keeping anything of it, and refuses what is not one whole
 * value: a length, a count or a block's size that the message does not have, bytes left over, or
 * nesting without end. After it, Avro's own decoder finds only lengths that are there: by itself it
 * takes the memory that a length announces before it looks whether the bytes come, and skips a
 * block by the size that the block claims.
 *
 * <p>Time is linear in the message's size, given that {@linkplain WriterSchema no item takes no
 * bytes}. Not thread-safe.
 */
final class MessageWalk {
  /** Deeper than any record of ours, and far from the stack's end. */
  private static final int DEEPEST = 64;

  private final byte[] message;
  private int position;

  private MessageWalk(byte[] message, int from) {
    this.message = message;
    this.position = from;
  }

  /** Checks that the message, from an index on, is one value of the schema and nothing else. */
  static void requireWhole(Schema schema, byte[] message, int from) throws UndecodableException {
    MessageWalk walk = new MessageWalk(message, from);
    walk.value(schema, 0);
    if (walk.remaining() > 0) {
      throw new UndecodableException("Bytes are left over after the record");
    }
  }

  private void value(Schema schema, int depth) throws UndecodableException {
    if (depth > DEEPEST) {
      throw new UndecodableException("The Avro body is nested too deep");
    }
    switch (schema.getType()) {
      case NULL -> {}
      case BOOLEAN -> skip(1);
      case INT, LONG, ENUM -> number();
      case FLOAT -> skip(Float.BYTES);
      case DOUBLE -> skip(Double.BYTES);
      case FIXED -> skip(schema.getFixedSize());
      case STRING, BYTES -> skip(number());
      case ARRAY -> blocks(schema.getElementType(), false, depth);
      case MAP -> blocks(schema.getValueType(), true, depth);
      case UNION -> {
        long branch = number();
        if (branch < 0 || branch >= schema.getTypes().size()) {
          throw damaged("branch %d of a union of %d".formatted(branch, schema.getTypes().size()));
        }
        value(schema.getTypes().get((int) branch), depth + 1);
      }
      case RECORD -> {
        for (Schema.Field field : schema.getFields()) {
          value(field.schema(), depth + 1);
        }
      }
    }
  }

  private void blocks(Schema item, boolean keyed, int depth) throws UndecodableException {
    for (long count = number(); count != 0; count = number()) {
      int end = -1;
      if (count < 0) {
        long size = number();
        if (size < 0 || size > remaining()) {
          throw damaged("a block of %d bytes".formatted(size));
        }
        end = position + (int) size;
        count = -count;
      }
      if (count < 0 || count > remaining()) {
        throw damaged("a block of %d items".formatted(count));
      }
      for (long i = 0; i < count; i++) {
        if (keyed) {
          skip(number());
        }
        value(item, depth + 1);
      }
      if (end >= 0 && end != position) {
        throw damaged("a block that is not as long as it says");
      }
    }
  }

  /** Avro's variable-length zigzag number. */
  private long number() throws UndecodableException {
    long bits = 0;
    for (int shift = 0; shift < Long.SIZE; shift += 7) {
      skip(1);
      byte next = message[position - 1];
      bits |= (next & 0x7FL) << shift;
      if (next >= 0) {
        return (bits >>> 1) ^ -(bits & 1);
      }
    }
    throw damaged("a number without end");
  }

  private void skip(long bytes) throws UndecodableException {
    if (bytes < 0 || bytes > remaining()) {
      throw damaged("%d bytes where %d are left".formatted(bytes, remaining()));
    }
    position += (int) bytes;
  }

  private int remaining() {
    return message.length - position;
  }

  private UndecodableException damaged(String what) {
    return new UndecodableException(
        "The Avro body is damaged at byte %d: it announces %s".formatted(position, what));
  }
}
