package io.streampulse.benchmarks;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Reads a file that another process writes, each line once.
 *
 * <p>Not thread-safe.
 */
final class LogTail {
  private final Path file;
  private long position;

  /** A file, which need not be there yet. */
  LogTail(Path file) {
    this.file = file;
  }

  /** The whole lines that have come since the last call. */
  String next() {
    if (!Files.exists(file)) {
      return "";
    }
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      byte[] bytes = new byte[Math.toIntExact(Math.max(0, in.length() - position))];
      in.seek(position);
      in.readFully(bytes);
      int end = bytes.length;
      while (end > 0 && bytes[end - 1] != '\n') {
        end--;
      }
      position += end;
      return new String(bytes, 0, end, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
