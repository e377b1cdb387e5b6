package io.streampulse.consumer.command;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.streampulse.config.Durations;
import io.streampulse.consumer.CheckpointSettler;
import io.streampulse.consumer.ConsumerConfig;
import io.streampulse.consumer.ConsumerTables;
import io.streampulse.consumer.append.HighestOffsets;
import io.streampulse.consumer.checkpoint.CheckpointDirectory;
import io.streampulse.consumer.checkpoint.CheckpointException;
import io.streampulse.consumer.checkpoint.CheckpointRepair;
import io.streampulse.consumer.checkpoint.CheckpointState;
import io.streampulse.consumer.checkpoint.Condition;
import io.streampulse.consumer.table.TableName;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.BiFunction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code health-consumer checkpoint}: what a checkpoint says, and mending it. */
@Command(
    name = "checkpoint",
    description = "Explains and mends a checkpoint.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND")
public final class CheckpointCommand {
  private static final String HADOOP = "spark.hadoop.";
  private static final DateTimeFormatter BACKUP_NAME =
      DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmssSSS").withZone(ZoneOffset.UTC);

  @Spec private CommandSpec spec;

  @Command(
      name = "inspect",
      description =
          "Says what state the checkpoint is in, in words, and where the next run begins to read.",
      mixinStandardHelpOptions = true)
  int inspect(
      @Mixin SparkSettings settings,
      @Parameters(paramLabel = "DIR", description = "The checkpoint's folder.") String folder,
      @Option(
              names = "--from-table",
              description =
                  "Compare with the tables, as the consumer's settings name them; starts Spark.")
          boolean fromTable,
      @Option(names = "--json", description = "Print JSON.") boolean json) {
    return new Operator(spec)
        .run(
            () -> {
              CheckpointDirectory directory = directory(settings, folder);
              CheckpointState state = CheckpointState.of(directory);
              Optional<Map<Integer, Long>> highest =
                  fromTable && state.topics().size() == 1
                      ? Optional.of(highest(settings, state.topics().iterator().next()))
                      : Optional.empty();
              print(inspection(directory, state, highest), json);
              return ExitCode.OK;
            });
  }

  @Command(
      name = "settle",
      description = {
        "Makes a checkpoint of async progress tracking fit for sync progress tracking, in Spark's"
            + " documented way: two micro-batches with the checkpoint interval 0, then stop. Takes"
            + " the consumer's settings; the consumer itself must be stopped."
      },
      mixinStandardHelpOptions = true)
  int settle(
      @Mixin SparkSettings settings,
      @Option(
              names = "--timeout",
              paramLabel = "TIME",
              defaultValue = "10min",
              converter = DurationConverter.class,
              description = "Longest wait for messages, ${DEFAULT-VALUE} when not given.")
          Duration timeout) {
    Operator operator = new Operator(spec);
    return operator.run(
        () -> {
          ConsumerConfig config = ConsumerConfig.readForSettling(settings.all());
          operator.warn(config.topic(), config.kafka(), config.warnings());
          return settings.inSession(
              "streampulse-settle",
              spark ->
                  new CheckpointSettler(spark, config, operator::say).settle(timeout)
                      ? ExitCode.OK
                      : ExitCode.SOFTWARE);
        });
  }

  @Command(
      name = "repair",
      description = {
        "Mends a checkpoint of a stopped consumer. Says what it would do; does it with --apply,"
            + " after a copy of the whole checkpoint beside it."
      },
      mixinStandardHelpOptions = true)
  int repair(
      @Mixin SparkSettings settings,
      @Parameters(paramLabel = "DIR", description = "The checkpoint's folder.") String folder,
      @Option(
              names = "--state",
              required = true,
              paramLabel = "A|B|D|E|F",
              description = "The state that inspect has shown.")
          String letter,
      @Option(names = "--apply", description = "Do it.") boolean apply,
      @Option(
              names = "--from-table",
              description = "For state E: take what was read from the tables; starts Spark.")
          boolean fromTable,
      @Option(
              names = "--idle",
              paramLabel = "TIME",
              defaultValue = "30s",
              converter = DurationConverter.class,
              description =
                  "Refuse if the checkpoint was written to within this time, ${DEFAULT-VALUE} when"
                      + " not given: its consumer may still run.")
          Duration idle,
      @Option(names = "--json", description = "Print JSON.") boolean json) {
    return new Operator(spec)
        .run(
            () -> {
              CheckpointDirectory directory = directory(settings, folder);
              CheckpointRepair repair = plan(settings, directory, letter, fromTable);
              Map<String, Object> report = new LinkedHashMap<>();
              report.put("checkpoint", directory.toString());
              report.put("state", letter + ": " + repair.state().condition().words());
              List<Map<String, String>> steps = new ArrayList<>();
              for (CheckpointRepair.Step step : repair.steps()) {
                Map<String, String> line = new LinkedHashMap<>();
                line.put("step", step.what());
                line.put("why", step.why());
                steps.add(line);
              }
              report.put("steps", steps);
              if (apply) {
                requireIdle(directory, idle);
                Path backup = repair.apply(BACKUP_NAME.format(Instant.now()));
                report.put("backup", backup.toString());
                Condition now = CheckpointState.of(directory).condition();
                report.put(
                    "now",
                    now.letter().isEmpty() ? now.words() : now.letter() + ": " + now.words());
              } else {
                report.put("now", "nothing was changed; add --apply to do it");
              }
              print(report, json);
              return ExitCode.OK;
            });
  }

  private static CheckpointRepair plan(
      SparkSettings settings, CheckpointDirectory directory, String letter, boolean fromTable) {
    CheckpointState state = CheckpointState.of(directory);
    Condition condition = state.condition();
    if (condition.letter().isEmpty()) {
      throw new CheckpointException(
          "checkpoint %s needs no repair: %s".formatted(directory, condition.words()));
    }
    if (!condition.letter().equalsIgnoreCase(letter)) {
      throw new CheckpointException(
          "checkpoint %s is in state %s, not %s: %s"
              .formatted(directory, condition.letter(), letter, condition.words()));
    }
    if (condition == Condition.ONE_NOT_COMMITTED && !fromTable) {
      throw new CheckpointException(
          "state E is not mended by its files alone: add --from-table and the consumer's settings"
              + " to take what was read from the tables");
    }
    if (condition != Condition.ONE_NOT_COMMITTED) {
      return CheckpointRepair.plan(directory);
    }
    String topic = state.topics().stream().findFirst().orElse("");
    return CheckpointRepair.planFromTable(directory, topic, beforeLastAppend(settings, topic));
  }

  private static void requireIdle(CheckpointDirectory directory, Duration idle) {
    directory
        .lastWritten()
        .filter(written -> written.isAfter(Instant.now().minus(idle)))
        .ifPresent(
            written -> {
              throw new CheckpointException(
                  "checkpoint %s was written to at %s, less than %s ago: stop its consumer first, then wait"
                      .formatted(directory, written, Durations.text(idle)));
            });
  }

  private static Map<String, Object> inspection(
      CheckpointDirectory directory, CheckpointState state, Optional<Map<Integer, Long>> highest) {
    Map<String, Object> report = new LinkedHashMap<>();
    report.put("checkpoint", directory.toString());
    report.put("query", state.queryId().orElse("none yet"));
    report.put("topic", String.join(", ", state.topics()));
    report.put("offsets", log(state.offsetIds().size(), state.newestOffsets()));
    report.put("commits", log(state.commitIds().size(), state.newestCommit()));
    report.put("missing", state.missing().toString());
    Condition condition = state.condition();
    report.put(
        "state",
        (condition.letter().isEmpty() ? "" : condition.letter() + ": ")
            + state.torn().map(torn -> torn + "; ").orElse("")
            + condition.words());
    report.put("async can start", condition.canStart(true));
    report.put("sync can start", condition.canStart(false));
    List<Map<String, Object>> partitions = new ArrayList<>();
    state
        .start()
        .forEach(
            (topic, next) ->
                new TreeMap<>(next)
                    .forEach(
                        (partition, offset) ->
                            partitions.add(
                                partition(
                                    partition,
                                    offset,
                                    directory.initialOffsets(topic).getOrDefault(partition, 0L),
                                    highest))));
    report.put("partitions", partitions);
    return report;
  }

  private static Map<String, Object> partition(
      int partition, long next, long first, Optional<Map<Integer, Long>> highest) {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("partition", partition);
    line.put("next offset", next);
    highest.ifPresent(
        all -> {
          Long offset = all.get(partition);
          line.put("highest in table", offset == null ? "none" : offset);
          long table = offset == null ? 0 : offset + 1;
          line.put("read again", Math.max(0, table - next));
          line.put("in no table", Math.max(0, next - Math.max(table, first)));
        });
    return line;
  }

  private static String log(int files, OptionalLong newest) {
    return newest.isPresent()
        ? "%d files, newest %d".formatted(files, newest.getAsLong())
        : "no files";
  }

  private static Map<Integer, Long> highest(SparkSettings settings, String topic) {
    return withTables(
        settings,
        (spark, tables) -> {
          Map<Integer, Long> highest = new TreeMap<>();
          for (TableName table : tables.open(spark)) {
            HighestOffsets.readAll(spark, table, topic)
                .forEach((partition, offset) -> highest.merge(partition, offset, Math::max));
          }
          return highest;
        });
  }

  private static Map<Integer, Long> beforeLastAppend(SparkSettings settings, String topic) {
    return withTables(
        settings,
        (spark, tables) ->
            HighestOffsets.beforeLastAppend(spark, tables.open(spark).get(0), topic));
  }

  private static Map<Integer, Long> withTables(
      SparkSettings settings,
      BiFunction<SparkSession, ConsumerTables, Map<Integer, Long>> question) {
    ConsumerTables tables = ConsumerTables.read(settings.all());
    return settings.inSession("streampulse-checkpoint", spark -> question.apply(spark, tables));
  }

  private static CheckpointDirectory directory(SparkSettings settings, String folder) {
    Configuration hadoop = new Configuration();
    settings
        .all()
        .forEach(
            (name, value) -> {
              if (name.startsWith(HADOOP)) {
                hadoop.set(name.substring(HADOOP.length()), value);
              }
            });
    return CheckpointDirectory.at(folder, hadoop);
  }

  private void print(Map<String, Object> report, boolean json) throws JsonProcessingException {
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(
          new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValueAsString(report));
    } else {
      out.print(ReportText.of(report));
    }
    out.flush();
  }
}
