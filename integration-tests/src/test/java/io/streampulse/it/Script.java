package io.streampulse.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A program that ends by itself. */
final class Script {
  private static final long LONGEST_MINUTES = 10;

  private Script() {}

  /** Runs it, expects its exit code, and returns all that it printed. */
  static String run(ProcessBuilder builder, int exitCode) throws IOException, InterruptedException {
    Path output = Files.createTempFile("script", ".log");
    try {
      Process process = builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
      if (!process.waitFor(LONGEST_MINUTES, TimeUnit.MINUTES)) {
        process.destroyForcibly();
      }
      int code = process.waitFor();
      String printed = Files.readString(output);
      assertThat(code).as(printed).isEqualTo(exitCode);
      return printed;
    } finally {
      Files.delete(output);
    }
  }
}
