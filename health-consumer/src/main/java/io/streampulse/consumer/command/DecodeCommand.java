package io.streampulse.consumer.command;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.streampulse.config.ConfigException;
import io.streampulse.config.ConfigReader;
import io.streampulse.connection.Connection;
import io.streampulse.connection.KafkaClient;
import io.streampulse.consumer.source.TopicRange;
import io.streampulse.registry.RegistryKeys;
import io.streampulse.registry.RegistrySchemas;
import io.streampulse.registry.RegistrySettings;
import io.streampulse.wire.RecordDecoder;
import io.streampulse.wire.SchemaLookup;
import io.streampulse.wire.UndecodableException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code health-consumer decode}: messages as JSON, for people who look at a topic by hand. */
@Command(
    name = "decode",
    description = {
      "Prints messages as JSON, one to a line: from files, from standard input, or from the topic."
          + " Reads every wire format; the settings name the schema registry, and for --topic the"
          + " broker. Exit code 1 where a message is no health record."
    },
    mixinStandardHelpOptions = true)
public final class DecodeCommand implements Callable<Integer> {
  private static final ObjectMapper JSON = new ObjectMapper();

  @Mixin private SparkSettings settings;

  @Parameters(
      paramLabel = "FILE",
      arity = "0..*",
      description = "Files with messages; - or none for standard input.")
  private List<String> files = new ArrayList<>();

  @Option(
      names = "--input",
      paramLabel = "FORM",
      defaultValue = "raw",
      description = {
        "How files hold messages: ${COMPLETION-CANDIDATES}. raw is one message as it is; hex and"
            + " base64 are one message to a line. ${DEFAULT-VALUE} when not given."
      })
  private Form form;

  @Option(
      names = "--schema-id",
      paramLabel = "HEX",
      description =
          "Value of the header __value_schema_id that the messages in files had, if they had one.")
  private String schemaIdHex;

  @Option(names = "--topic", description = "Read the topic of the settings instead of files.")
  private boolean topic;

  @Option(
      names = "--partition",
      paramLabel = "N",
      description = "Only this partition of the topic; all of them when not given.")
  private Integer partition;

  @Option(
      names = "--from",
      paramLabel = "OFFSET",
      defaultValue = "-10",
      description =
          "First offset in each partition; negative: so many before the end. ${DEFAULT-VALUE} when"
              + " not given.")
  private long from;

  @Option(
      names = "--to",
      paramLabel = "OFFSET",
      description = "Offset to stop before; where the topic ends now when not given.")
  private Long to;

  @Option(names = "--pretty", description = "Print each message over several lines.")
  private boolean pretty;

  @Spec private CommandSpec spec;

  private RecordDecoder decoder;
  private boolean undecodable;
  private boolean empty = true;

  @Override
  public Integer call() {
    if (topic && !files.isEmpty()) {
      throw new ParameterException(spec.commandLine(), "--topic and files exclude each other");
    }
    Operator operator = new Operator(spec);
    return operator.run(
        () -> {
          ConfigReader reader = new ConfigReader(settings.all());
          Optional<Connection> connection =
              topic ? Optional.of(Connection.read(reader, client())) : Optional.empty();
          Optional<RegistrySettings> registry = RegistryKeys.read(reader);
          reader.throwIfProblems();
          decoder =
              new RecordDecoder(
                  registry.<SchemaLookup>map(RegistrySchemas::of).orElseGet(SchemaLookup::none));
          if (connection.isPresent()) {
            operator.warn(
                connection.get().topic(), connection.get().kafka(), connection.get().warnings());
            readTopic(connection.get());
          } else {
            decodeFiles();
          }
          if (empty) {
            operator.complain("there is no message to decode");
          }
          return undecodable ? ExitCode.SOFTWARE : ExitCode.OK;
        });
  }

  private void decodeFiles() {
    byte[] schemaId = schemaId();
    for (String file : files.isEmpty() ? List.of("-") : files) {
      String source = file.equals("-") ? "standard input" : file;
      for (Map.Entry<Integer, byte[]> message : form.messages(bytes(file), source).entrySet()) {
        ObjectNode line = JSON.createObjectNode();
        if (files.size() > 1) {
          line.put("file", source);
        }
        if (form != Form.raw) {
          line.put("line", message.getKey());
        }
        print(line, message.getValue(), schemaId);
      }
    }
  }

  private byte[] schemaId() {
    try {
      return schemaIdHex == null ? null : HexFormat.of().parseHex(schemaIdHex);
    } catch (IllegalArgumentException e) {
      throw new ConfigException(List.of("--schema-id %s is not hex".formatted(schemaIdHex)));
    }
  }

  private byte[] bytes(String file) {
    if (file.equals("-")) {
      InputStream in = System.in;
      try {
        return in.readAllBytes();
      } catch (IOException e) {
        throw unreadable("standard input", e.toString());
      }
    }
    try {
      return Files.readAllBytes(Path.of(file));
    } catch (IOException e) {
      throw unreadable(file, e.toString());
    }
  }

  private static KafkaClient client() {
    try {
      return TopicRange.client();
    } catch (NoClassDefFoundError e) {
      throw new IllegalStateException(
          "--topic needs Kafka's client under its own name, as Spark's Kafka"
              + " connector brings it: read messages into a file by other means",
          e);
    }
  }

  private void readTopic(Connection connection) {
    new TopicRange(connection.kafka(), connection.topic())
        .read(Optional.ofNullable(partition), from, Optional.ofNullable(to), this::print);
  }

  private void print(TopicRange.Message message) {
    ObjectNode line =
        JSON.createObjectNode()
            .put("partition", message.partition())
            .put("offset", message.offset())
            .put("timestamp", message.timestamp().toString());
    if (message.key() != null) {
      line.put("key", new String(message.key(), StandardCharsets.UTF_8));
    }
    print(line, message.value(), message.schemaId());
  }

  private void print(ObjectNode line, byte[] message, byte[] schemaId) {
    empty = false;
    line.put("format", RecordDecoder.format(message, schemaId));
    try {
      line.set("record", JSON.readTree(decoder.decode(message, schemaId).toString()));
    } catch (UndecodableException e) {
      undecodable = true;
      line.put("undecodable", e.getMessage());
      line.put("value", message == null ? null : HexFormat.of().formatHex(message));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("Avro's JSON is none", e);
    }
    ObjectWriter writer = pretty ? JSON.writerWithDefaultPrettyPrinter() : JSON.writer();
    try {
      spec.commandLine().getOut().println(writer.writeValueAsString(line));
      spec.commandLine().getOut().flush();
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("Can't print " + line, e);
    }
  }

  private static ConfigException unreadable(String source, String reason) {
    return new ConfigException(List.of(source + " can't be read: " + reason));
  }

  /** How a file holds messages; the names are what a user writes. */
  enum Form {
    raw,
    hex,
    base64;

    /** The messages by the number of their line, from 1. */
    Map<Integer, byte[]> messages(byte[] content, String source) {
      if (this == raw) {
        return Map.of(1, content);
      }
      Map<Integer, byte[]> messages = new LinkedHashMap<>();
      int number = 0;
      for (String line : new String(content, StandardCharsets.US_ASCII).lines().toList()) {
        number++;
        String text = line.replaceAll("\\s+", "");
        if (text.isEmpty()) {
          continue;
        }
        try {
          messages.put(
              number,
              this == hex ? HexFormat.of().parseHex(text) : Base64.getDecoder().decode(text));
        } catch (IllegalArgumentException e) {
          throw unreadable(source, "line %d is not %s".formatted(number, this));
        }
      }
      return messages;
    }
  }
}
