package io.streampulse.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** A program that ends by itself, soon. */
final class Script {
  private Script() {}

  /** Runs it, expects its exit code, and returns all that it printed. */
  static String run(ProcessBuilder builder, int exitCode) throws IOException, InterruptedException {
    Process process = builder.redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isEqualTo(exitCode);
    return output;
  }
}
