package io.streampulse.consumer.command;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.streampulse.config.ConfigException;
import io.streampulse.config.Durations;
import io.streampulse.consumer.capacity.CapacityPlan;
import io.streampulse.consumer.capacity.Load;
import io.streampulse.consumer.capacity.Measured;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code health-consumer capacity}: what a fleet needs, worked out from measured figures. */
@Command(
    name = "capacity",
    description = {
      "Works out what topic, consumer and table a fleet needs, from measured figures, each with its"
          + " rule. Reads no table and starts no Spark."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:also where a limit is passed", "2:the command line is wrong"},
    mixinStandardHelpOptions = true)
public final class CapacityCommand implements Callable<Integer> {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long MOST_QUERIES = 100_000_000;
  private static final Duration SHORTEST = Duration.ofMillis(1);
  private static final Duration LONGEST = Duration.ofDays(365);
  private static final int MOST_DAYS = 36_500;
  private static final int MOST_BYTES = 100_000_000;
  private static final int QUERIES_PER_APPLICATION = 4;

  @Option(
      names = "--queries",
      paramLabel = "N",
      required = true,
      description = "Streaming queries in the fleet.")
  private long queries;

  @Option(
      names = "--trigger",
      paramLabel = "TIME",
      defaultValue = "10s",
      converter = DurationConverter.class,
      description =
          "From one micro-batch of a query to its next (default: ${DEFAULT-VALUE}); without a"
              + " trigger of its own, how long its batches take.")
  private Duration trigger;

  @Option(
      names = "--agents",
      paramLabel = "N",
      description =
          "Applications, each with one agent; when not given, by --queries-per-application.")
  private Long agents;

  @Option(
      names = "--queries-per-application",
      paramLabel = "N",
      description = "Queries of one application, " + QUERIES_PER_APPLICATION + " when not given.")
  private Long queriesPerApplication;

  @Option(
      names = "--record-bytes",
      paramLabel = "BYTES",
      defaultValue = "" + Measured.RECORD_BYTES,
      description =
          "A message without its key (default: ${DEFAULT-VALUE}, a query that reads one topic of 12"
              + " partitions).")
  private int recordBytes;

  @Option(
      names = "--heartbeat",
      paramLabel = "TIME",
      defaultValue = "60s",
      converter = DurationConverter.class,
      description = "The agents' heartbeat-interval (default: ${DEFAULT-VALUE}).")
  private Duration heartbeat;

  @Option(
      names = "--flush-interval",
      paramLabel = "TIME",
      defaultValue = "10s",
      converter = DurationConverter.class,
      description = "The agents' flush-interval (default: ${DEFAULT-VALUE}).")
  private Duration flush;

  @Option(
      names = "--consumer-trigger",
      paramLabel = "TIME",
      defaultValue = "10s",
      converter = DurationConverter.class,
      description = "The consumer's trigger (default: ${DEFAULT-VALUE}).")
  private Duration consumerTrigger;

  @Option(
      names = "--topic-retention",
      paramLabel = "DAYS",
      defaultValue = "7",
      description = "How long the topic keeps records (default: ${DEFAULT-VALUE}).")
  private int topicDays;

  @Option(
      names = "--table-retention",
      paramLabel = "DAYS",
      defaultValue = "30",
      description =
          "How long the table keeps rows, maintain --retain-days (default: ${DEFAULT-VALUE}).")
  private int tableDays;

  @Option(
      names = "--records-per-second-per-core",
      paramLabel = "N",
      defaultValue = "" + Measured.RECORDS_PER_SECOND_PER_CORE,
      description =
          "What a core of the consumer works off (default: ${DEFAULT-VALUE}, bench catch-up).")
  private int recordsPerSecondPerCore;

  @Option(
      names = "--bytes-per-row",
      paramLabel = "BYTES",
      defaultValue = "" + Measured.BYTES_PER_ROW,
      description =
          "A row in the table (default: ${DEFAULT-VALUE}, bench storage, after maintain).")
  private int bytesPerRow;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    return new Operator(spec).run(this::print);
  }

  private int print() throws JsonProcessingException {
    Load load = load();
    CapacityPlan plan = CapacityPlan.of(load);
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(JSON.writerWithDefaultPrettyPrinter().writeValueAsString(json(load, plan)));
    } else {
      out.println(title(load));
      out.println();
      CapacityTable.lines(plan).forEach(out::println);
    }
    out.flush();
    return ExitCode.OK;
  }

  private Load load() {
    requireUsable();
    return new Load(
        queries,
        trigger,
        applications(),
        recordBytes,
        heartbeat,
        flush,
        consumerTrigger,
        topicDays,
        tableDays,
        recordsPerSecondPerCore,
        bytesPerRow);
  }

  private long applications() {
    if (agents != null) {
      return agents;
    }
    long each = queriesPerApplication == null ? QUERIES_PER_APPLICATION : queriesPerApplication;
    return (queries + each - 1) / each;
  }

  private void requireUsable() {
    List<String> problems = new ArrayList<>();
    requireWithin(problems, "--queries", queries, MOST_QUERIES);
    if (agents != null && queriesPerApplication != null) {
      problems.add("--agents and --queries-per-application say the same: leave one out");
    } else if (agents != null && (agents < 1 || agents > Math.max(1, queries))) {
      problems.add(
          "--agents %d must be from 1 to the number of --queries: an agent starts with its first query"
              .formatted(agents));
    } else if (queriesPerApplication != null) {
      requireWithin(problems, "--queries-per-application", queriesPerApplication, MOST_QUERIES);
    }
    requireWithin(problems, "--record-bytes", recordBytes, MOST_BYTES);
    requireWithin(problems, "--topic-retention", topicDays, MOST_DAYS);
    requireWithin(problems, "--table-retention", tableDays, MOST_DAYS);
    requireWithin(
        problems, "--records-per-second-per-core", recordsPerSecondPerCore, Integer.MAX_VALUE);
    requireWithin(problems, "--bytes-per-row", bytesPerRow, MOST_BYTES);
    requireWithin(
        problems,
        "--trigger",
        trigger,
        ": for a query without a trigger of its own, say how long its batches take");
    requireWithin(problems, "--heartbeat", heartbeat, "");
    requireWithin(problems, "--flush-interval", flush, "");
    requireWithin(problems, "--consumer-trigger", consumerTrigger, "");
    if (!problems.isEmpty()) {
      throw new ConfigException(problems);
    }
  }

  private static void requireWithin(List<String> problems, String option, long value, long most) {
    if (value < 1 || value > most) {
      problems.add("%s %d must be from 1 to %d".formatted(option, value, most));
    }
  }

  private static void requireWithin(
      List<String> problems, String option, Duration value, String advice) {
    if (value.compareTo(SHORTEST) < 0 || value.compareTo(LONGEST) > 0) {
      problems.add("%s must be from 1ms to 365d%s".formatted(option, advice));
    }
  }

  private static String title(Load load) {
    return String.format(
        Locale.ROOT,
        "%,d queries, a batch of each every %s, in %,d applications",
        load.queries(),
        Durations.text(load.trigger()),
        load.agents());
  }

  private static ObjectNode json(Load load, CapacityPlan plan) {
    ObjectNode object = JSON.createObjectNode();
    object
        .putObject("load")
        .put("queries", load.queries())
        .put("trigger", Durations.text(load.trigger()))
        .put("agents", load.agents())
        .put("recordBytes", load.recordBytes())
        .put("heartbeat", Durations.text(load.heartbeat()))
        .put("flushInterval", Durations.text(load.flush()))
        .put("consumerTrigger", Durations.text(load.consumerTrigger()))
        .put("topicRetentionDays", load.topicDays())
        .put("tableRetentionDays", load.tableDays())
        .put("recordsPerSecondPerCore", load.recordsPerSecondPerCore())
        .put("bytesPerRow", load.bytesPerRow());
    ObjectNode figures = object.putObject("figures");
    plan.figures()
        .forEach(
            figure ->
                figures
                    .putObject(figure.name())
                    .put("value", figure.value())
                    .put("unit", figure.unit())
                    .put("rule", figure.rule()));
    plan.warnings().forEach(object.putArray("warnings")::add);
    return object;
  }
}
