package io.streampulse.benchmarks;

import io.streampulse.testing.Certificates;
import io.streampulse.testing.ChildJvm;
import io.streampulse.testing.EmbeddedBroker;
import io.streampulse.testing.KafkaBroker;
import io.streampulse.testing.SettingsFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A broker in a JVM of its own: it shares neither heap nor compiled code with what is measured.
 *
 * <p>Thread-safe. Closing it is idempotent.
 */
public final class BrokerProcess implements KafkaBroker {
  private static final Duration START = Duration.ofMinutes(1);
  private static final String READY = "ready.properties";

  private final ChildJvm process;
  private final Map<String, String> found;

  private BrokerProcess(ChildJvm process, Map<String, String> found) {
    this.process = process;
    this.found = found;
  }

  /** Starts a broker and returns when it can be connected to. */
  static BrokerProcess start(Path folder) throws IOException, InterruptedException {
    Files.createDirectories(folder);
    Path ready = folder.resolve(READY);
    ChildJvm process =
        ChildJvm.start(
            "broker",
            folder.resolve("broker.log"),
            ChildJvm.classPath(file -> true),
            List.of("-Xmx384m"),
            List.of(BrokerProcess.class.getName(), folder.toString()));
    long until = System.nanoTime() + START.toNanos();
    while (!Files.exists(ready)) {
      if (!process.isAlive() || System.nanoTime() > until) {
        process.close();
        throw new IllegalStateException("The broker did not start:\n" + process.output());
      }
      Thread.sleep(50);
    }
    return new BrokerProcess(process, SettingsFile.read(ready));
  }

  /** The process itself. Argument: the folder for certificates, log, and how to connect. */
  public static void main(String... arguments) throws IOException {
    Path folder = Path.of(arguments[0]);
    EmbeddedBroker broker = EmbeddedBroker.start(folder);
    Path written = folder.resolve(READY + ".new");
    SettingsFile.write(
        written,
        Map.of(
            "servers", broker.bootstrapServers(),
            "password", broker.password(),
            "key-store", broker.certificates().keyStore().toString(),
            "trust-store", broker.certificates().trustStore().toString(),
            "store-password", broker.certificates().password()));
    Files.move(written, folder.resolve(READY), StandardCopyOption.ATOMIC_MOVE);
  }

  @Override
  public String bootstrapServers() {
    return found.get("servers");
  }

  @Override
  public Certificates certificates() {
    return new Certificates(
        Path.of(found.get("key-store")),
        Path.of(found.get("trust-store")),
        found.get("store-password"));
  }

  @Override
  public String password() {
    return found.get("password");
  }

  @Override
  public void close() {
    process.close();
  }
}
