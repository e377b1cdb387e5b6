package io.streampulse.it;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import picocli.CommandLine;

/**
 * Commands of the consumer's, and SQL between them; the jar with the commands is one of {@code
 * --jars}. Each line of what a command prints begins with {@value #OUT} or {@value #ERR}.
 */
public final class CommandsInTurn {
  static final String OUT = "out|";
  static final String ERR = "err|";

  /** The setting with a command and its arguments, one a line. */
  static final String COMMAND = "turn.command";

  /** The setting with a statement to run in its place; each row is printed as JSON. */
  static final String SQL = "turn.sql";

  /** The setting that has a Spark session there before the command, as a platform has. */
  static final String PLATFORM = "turn.platform";

  private CommandsInTurn() {}

  /** Arguments: files with Spark conf. */
  public static void main(String... files) throws Exception {
    var main =
        Class.forName(
                "io.streampulse.consumer.Main",
                true,
                Thread.currentThread().getContextClassLoader())
            .getDeclaredConstructor();
    main.setAccessible(true);
    Turns.each(
        files,
        (file, conf) -> {
          if (conf.containsKey(PLATFORM)) {
            platform(conf);
          }
          return conf.containsKey(SQL)
              ? sql(conf.getProperty(SQL))
              : command(new CommandLine(main.newInstance()), file, conf);
        });
  }

  private static void platform(Properties conf) {
    SparkSession.Builder builder = SparkSession.builder().appName("platform");
    conf.stringPropertyNames().stream()
        .filter(name -> name.startsWith("spark."))
        .forEach(name -> builder.config(name, conf.getProperty(name)));
    builder.getOrCreate();
  }

  private static String command(CommandLine commandLine, Path file, Properties conf) {
    List<String> arguments = new ArrayList<>(conf.getProperty(COMMAND).lines().toList());
    arguments.addAll(List.of("--properties-file", file.toString()));
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exitCode =
        commandLine
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .execute(arguments.toArray(String[]::new));
    say(OUT, out.toString());
    say(ERR, err.toString());
    return "exit code " + exitCode;
  }

  private static String sql(String statement) {
    List<Row> rows = SparkSession.active().sql(statement).collectAsList();
    rows.forEach(row -> say(OUT, row.json()));
    return rows.size() + " rows";
  }

  private static void say(String prefix, String text) {
    text.lines().forEach(line -> System.out.println(prefix + line));
  }
}
