package io.streampulse.consumer.decode;

import io.streampulse.registry.RegistrySettings;
import io.streampulse.schema.HealthRecord;
import java.util.Optional;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.expressions.UserDefinedFunction;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.LongAccumulator;

/**
 * Kafka messages, decoded on the executors: each has either a health record or the reason why it
 * has none, and always its Kafka coordinates.
 */
public final class DecodedMessages {
  static final String RECORD = "record";
  static final String KAFKA = "kafka";
  static final String KEY = "key";
  static final String VALUE = "value";
  static final String HEADERS = "headers";
  static final String REASON = "reason";
  static final String LATENCY = "latencyMs";

  /** The observed metrics of each micro-batch, as its progress names them. */
  private static final String OBSERVATION = "endToEnd";

  private static final StructType COORDINATES =
      new StructType()
          .add("topic", DataTypes.StringType, true, "Topic the message came from.")
          .add("partition", DataTypes.IntegerType, true, "Partition of the topic.")
          .add("offset", DataTypes.LongType, true, "Offset in the partition.")
          .add("timestamp", DataTypes.TimestampType, true, "Timestamp of the message, UTC.");

  /** As Spark's Kafka source has them. */
  private static final DataType HEADERS_TYPE =
      DataTypes.createArrayType(
          new StructType().add("key", DataTypes.StringType).add("value", DataTypes.BinaryType));

  /** What a message's value becomes. */
  private static final StructType DECODED =
      new StructType()
          .add(RECORD, AvroColumns.columns(HealthRecord.getClassSchema()))
          .add(REASON, DataTypes.StringType)
          .add(LATENCY, DataTypes.LongType);

  private DecodedMessages() {}

  /**
   * Decodes the rows of Spark's Kafka source.
   *
   * @param registry the registry that knows the schema ids in messages; empty where there is none
   * @param undecodable raised by one for each message that can't be decoded, and by more where a
   *     task runs again: a sign that there are some, not their number
   */
  public static Dataset<Row> decode(
      Dataset<Row> messages, Optional<RegistrySettings> registry, LongAccumulator undecodable) {
    // A function and not a mapPartitions: its conversion from and to rows is one generated method
    // for all columns, too large for the JVM's compiler. Not deterministic: else Spark may decode a
    // message once for each use of the result.
    UserDefinedFunction decode =
        functions
            .udf(new MessageDecoder(registry.orElse(null), undecodable), DECODED)
            .asNondeterministic();
    return messages
        .withColumn(
            "decoded",
            decode.apply(
                functions.col(VALUE),
                functions.col(HEADERS),
                functions.unix_millis(functions.col("timestamp")),
                functions.col("topic"),
                functions.col("partition"),
                functions.col("offset")))
        .select(
            functions.col("decoded." + RECORD),
            functions.struct("topic", "partition", "offset", "timestamp").as(KAFKA),
            ifUndecodable(KEY),
            ifUndecodable(VALUE),
            ifUndecodable(HEADERS),
            functions.col("decoded." + REASON),
            functions.col("decoded." + LATENCY));
  }

  /**
   * Has each micro-batch observe how old its messages were, from the record's timestamp to when it
   * was decoded on its way into the append: count and milliseconds. The query's progress, and with
   * it the agent's record of the consumer's own batch, tells them.
   */
  public static Dataset<Row> observed(Dataset<Row> decoded) {
    return decoded.observe(
        OBSERVATION,
        functions.count(functions.lit(1)).as("messages"),
        functions.count(functions.col(REASON)).as("undecodable"),
        percentile(0.5).as("latencyP50Ms"),
        percentile(0.95).as("latencyP95Ms"),
        percentile(0.99).as("latencyP99Ms"),
        functions.max(LATENCY).as("latencyMaxMs"));
  }

  /** The columns of the health table. */
  public static StructType healthColumns() {
    StructType columns = AvroColumns.documentedColumns(HealthRecord.getClassSchema());
    return withIngestion(
        columns.add(KAFKA, COORDINATES, true, "Where the record stood in the topic."));
  }

  /** The columns of the quarantine table. */
  public static StructType quarantineColumns() {
    return withIngestion(
        new StructType()
            .add(KAFKA, COORDINATES, true, "Where the message stood in the topic.")
            .add(KEY, DataTypes.BinaryType, true, "The message's key, as it was.")
            .add(VALUE, DataTypes.BinaryType, true, "The message's value, as it was.")
            .add(HEADERS, HEADERS_TYPE, true, "The message's headers; null where it has none.")
            .add(REASON, DataTypes.StringType, true, "Why it could not be decoded."));
  }

  /** The rows of the health table among decoded messages. */
  public static Dataset<Row> healthRows(Dataset<Row> decoded) {
    return decoded.filter(decodable()).select(RECORD + ".*", KAFKA);
  }

  /** The rows of the quarantine table among decoded messages. */
  public static Dataset<Row> quarantineRows(Dataset<Row> decoded) {
    return decoded.filter(functions.not(decodable())).select(KAFKA, KEY, VALUE, HEADERS, REASON);
  }

  /** The bytes of a decoded message are not carried along: nobody needs them any more. */
  private static Column ifUndecodable(String column) {
    return functions
        .when(functions.col("decoded." + REASON).isNotNull(), functions.col(column))
        .as(column);
  }

  private static Column percentile(double share) {
    return functions.percentile_approx(
        functions.col(LATENCY), functions.lit(share), functions.lit(1000));
  }

  private static StructType withIngestion(StructType columns) {
    return columns.add(
        "ingestedAt", DataTypes.TimestampType, true, "When the consumer appended the row, UTC.");
  }

  private static Column decodable() {
    return functions.col(REASON).isNull();
  }
}
