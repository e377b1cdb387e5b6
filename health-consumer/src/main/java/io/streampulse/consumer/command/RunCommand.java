package io.streampulse.consumer.command;

import io.streampulse.consumer.ConsumerConfig;
import io.streampulse.consumer.HealthConsumer;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.util.ShutdownHookManager;
import org.apache.spark.sql.SparkSession;
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
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:it ended as asked",
      "1:it failed, and restarts did not help",
      "2:the command line or a setting is wrong",
      "3:another run or another checkpoint's consumer has the table",
      "4:broker, schema registry or catalog refuse the login, or the topic is not there",
      "5:messages that were not read yet are gone from the topic",
      "6:a table is gone or does not fit",
      "7:the checkpoint can't be used",
      "143:it was stopped by SIGTERM, after its running micro-batch"
    },
    mixinStandardHelpOptions = true)
public final class RunCommand implements Callable<Integer> {
  /** Spark's own hook has 40: ours has to be through before it stops the context. */
  static final int BEFORE_SPARK = 60;

  private static final Duration STOP = Duration.ofSeconds(60);

  @Mixin private SparkSettings settings;

  @Option(names = "--verbose", description = "Print the stack trace of a failure.")
  private boolean verbose;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    Operator operator = new Operator(spec);
    return operator.run(
        verbose,
        () -> {
          ConsumerConfig config = ConsumerConfig.read(settings.all());
          operator.warn(config.topic(), config.kafka(), config.warnings());
          return settings.inSession(
              HealthConsumer.QUERY_NAME, spark -> run(spark, config, operator));
        });
  }

  private static int run(SparkSession spark, ConsumerConfig config, Operator operator)
      throws ConsumerFailedException {
    Supervisor supervisor =
        new Supervisor(
            new Supervisor.Run() {
              @Override
              public Supervisor.Running next() {
                return Supervisor.Running.of(
                    new HealthConsumer(spark, config), () -> sayStarted(spark, config, operator));
              }

              @Override
              public boolean isPossible() {
                return !spark.sparkContext().isStopped();
              }
            },
            config.topic(),
            config.maxRestarts(),
            operator::complain);
    ShutdownHookManager.get()
        .addShutdownHook(
            () -> supervisor.stop(STOP), BEFORE_SPARK, 3 * STOP.toSeconds(), TimeUnit.SECONDS);
    supervisor.run();
    return ExitCode.OK;
  }

  private static void sayStarted(SparkSession spark, ConsumerConfig config, Operator operator) {
    operator.say(banner(config));
    operator.say(
        OwnHealth.isReported(spark)
            ? "its own health is reported by the agent it carries"
            : "its own health is not reported: add the agent's jar (--jars) to have it");
  }

  private static String banner(ConsumerConfig config) {
    return "topic %s at %s -> table %s, trigger %s, %s progress, checkpoint %s"
        .formatted(
            config.topic(),
            config.kafka().bootstrapServers(),
            config.table(),
            config.trigger().text(),
            config.asyncProgress() ? "async" : "sync",
            config.checkpoint());
  }
}
