package io.streampulse.consumer.command;

import io.streampulse.config.ConfigException;
import io.streampulse.consumer.fleet.FleetReader;
import io.streampulse.consumer.page.FleetServer;
import io.streampulse.consumer.serve.FleetService;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.util.ShutdownHookManager;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code health-consumer serve}: the fleet as a page, and as metrics. */
@Command(
    name = "serve",
    description = {
      "Serves the fleet until it is stopped: a page at /, metrics for Prometheus at /metrics, a"
          + " health check at /healthz, for reading only. There is no login: on another address than"
          + " 127.0.0.1 put a proxy in front that has one."
    },
    mixinStandardHelpOptions = true)
public final class ServeCommand implements Callable<Integer> {
  private static final int LONGEST_LOOK_SECONDS = 5;

  @Mixin private FleetSource source;

  @Option(
      names = "--port",
      defaultValue = "8080",
      description = "Port; 0 for any that is free (default: ${DEFAULT-VALUE}).")
  private int port;

  @Option(
      names = "--host",
      defaultValue = "127.0.0.1",
      description = "Address to bind (default: ${DEFAULT-VALUE}, this machine only).")
  private String host;

  @Option(
      names = "--refresh",
      paramLabel = "SECONDS",
      defaultValue = "30",
      description = "Pause between two looks at the table (default: ${DEFAULT-VALUE}).")
  private int refreshSeconds;

  @Spec private CommandSpec spec;

  private final CountDownLatch ending = new CountDownLatch(1);

  @Override
  public Integer call() {
    if (refreshSeconds < 1) {
      throw new ParameterException(
          spec.commandLine(), "--refresh %d must be at least 1".formatted(refreshSeconds));
    }
    Operator operator = new Operator(spec);
    return operator.run(() -> source.look("streampulse-serve", reader -> serve(reader, operator)));
  }

  private int serve(FleetReader reader, Operator operator) throws InterruptedException {
    FleetService service = new FleetService(reader, Duration.ofSeconds(refreshSeconds));
    try (FleetServer server = server(service)) {
      operator.say("the fleet is at %s (first look at the table…)".formatted(server.uri()));
      endBeforeSpark(Thread.currentThread());
      boolean first = true;
      do {
        boolean seen = service.refresh(failure -> complain(failure, operator));
        if (first && seen) {
          operator.say("ready");
          first = false;
        }
      } while (!ending.await(refreshSeconds, TimeUnit.SECONDS));
      return ExitCode.OK;
    }
  }

  private FleetServer server(FleetService service) {
    try {
      return new FleetServer(host, port, service);
    } catch (IOException | IllegalArgumentException e) {
      throw new ConfigException(
          List.of("can't serve at %s:%d: %s".formatted(host, port, e.getMessage())));
    }
  }

  /** At SIGTERM the look that is under way may come to its end, and no other begins. */
  private void endBeforeSpark(Thread looking) {
    ShutdownHookManager.get()
        .addShutdownHook(
            () -> {
              ending.countDown();
              try {
                looking.join(TimeUnit.SECONDS.toMillis(LONGEST_LOOK_SECONDS));
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            RunCommand.BEFORE_SPARK,
            2 * LONGEST_LOOK_SECONDS,
            TimeUnit.SECONDS);
  }

  private void complain(Exception failure, Operator operator) {
    if (ending.getCount() > 0) {
      operator.complain(Failure.of(failure, "").message());
    }
  }
}
