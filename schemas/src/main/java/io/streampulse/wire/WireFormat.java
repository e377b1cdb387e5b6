package io.streampulse.wire;

/** How a message begins; {@code docs/wire-format.md} has the bytes. */
final class WireFormat {
  /** First byte of Confluent's wire format, its "magic byte". */
  static final byte CONFLUENT = 0;

  /** The first byte and the id. */
  static final int CONFLUENT_HEADER = 5;

  /** First byte before a schema GUID. */
  static final byte GUID = 1;

  /** The first byte and the GUID. */
  static final int GUID_HEADER = 17;

  static final byte SINGLE_OBJECT = (byte) 0xC3;
  static final byte SINGLE_OBJECT_VERSION = 1;

  /** {@code C3 01} and the eight bytes of the fingerprint. */
  static final int SINGLE_OBJECT_HEADER = 10;

  private WireFormat() {}
}
