package io.streampulse.consumer.command;

import io.streampulse.config.ConfigException;
import io.streampulse.config.Durations;
import io.streampulse.config.SharedKeys;
import io.streampulse.consumer.ConsumerConfig;
import io.streampulse.consumer.HealthConsumer;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.util.ShutdownHookManager;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQueryException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code health-consumer run}: appends until it is stopped. */
@Command(
    name = "run",
    description = "Appends health records to the health table until it is stopped (SIGTERM).",
    mixinStandardHelpOptions = true)
public final class RunCommand implements Callable<Integer> {
  private static final Logger LOG = LoggerFactory.getLogger(RunCommand.class);

  /** Spark's own hook has 40: ours has to be through before it stops the context. */
  private static final int BEFORE_SPARK = 60;

  private static final Duration STOP = Duration.ofSeconds(60);

  @Mixin private SparkSettings settings;

  @Option(names = "--verbose", description = "Print the stack trace of a failure.")
  private boolean verbose;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    String topic = SharedKeys.TOPIC.defaultText().orElseThrow();
    try {
      ConsumerConfig config = ConsumerConfig.read(settings.all());
      topic = config.topic();
      run(config);
      return ExitCode.OK;
    } catch (ConfigException e) {
      e.problems().forEach(this::complain);
      return ExitCode.USAGE;
    } catch (Exception e) {
      complain(FailureMessage.of(e, topic));
      if (verbose) {
        e.printStackTrace(spec.commandLine().getErr());
      }
      LOG.debug("The consumer failed", e);
      return ExitCode.SOFTWARE;
    }
  }

  private void run(ConsumerConfig config) throws StreamingQueryException {
    SparkSession spark = settings.session(HealthConsumer.QUERY_NAME);
    try {
      HealthConsumer consumer = HealthConsumer.start(spark, config);
      spec.commandLine().getOut().println(banner(config));
      spec.commandLine().getOut().flush();
      ShutdownHookManager.get()
          .addShutdownHook(
              () -> consumer.stop(STOP), BEFORE_SPARK, 2 * STOP.toSeconds(), TimeUnit.SECONDS);
      consumer.awaitTermination();
    } finally {
      spark.stop();
    }
  }

  private static String banner(ConsumerConfig config) {
    return "health-consumer: topic %s at %s -> table %s, every %s, %s progress, checkpoint %s"
        .formatted(
            config.topic(),
            config.kafka().get("bootstrap.servers"),
            config.table(),
            Durations.text(config.trigger()),
            config.asyncProgress() ? "async" : "sync",
            config.checkpoint());
  }

  private void complain(String problem) {
    spec.commandLine().getErr().println("health-consumer: " + problem);
    spec.commandLine().getErr().flush();
  }
}
