package io.streampulse.testing;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;

/** What Kafka's protocol sends: four bytes that say how many follow, and these. */
final class KafkaFrames {
  private static final int LARGEST = 100 * 1024 * 1024;

  private KafkaFrames() {}

  /** The next frame without its length; waits for it. */
  static ByteBuffer read(DataInputStream in) throws IOException {
    int size = in.readInt();
    if (size < 0 || size > LARGEST) {
      throw new IOException("Not a frame of Kafka's protocol: it would have " + size + " bytes");
    }
    byte[] frame = new byte[size];
    in.readFully(frame);
    return ByteBuffer.wrap(frame);
  }

  /** Sends a frame, which is read from its position on and left as it was. */
  static void write(DataOutputStream out, ByteBuffer frame) throws IOException {
    out.writeInt(frame.remaining());
    out.write(frame.array(), frame.arrayOffset() + frame.position(), frame.remaining());
    out.flush();
  }
}
