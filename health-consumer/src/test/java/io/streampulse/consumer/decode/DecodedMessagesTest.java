package io.streampulse.consumer.decode;

import static org.assertj.core.api.Assertions.assertThat;

import io.streampulse.consumer.TestSpark;
import io.streampulse.testing.HealthMessages;
import java.nio.charset.StandardCharsets;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.util.LongAccumulator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Messages as Spark's Kafka source gives them, and what becomes of them. */
class DecodedMessagesTest {
  private static final int MESSAGES = 10;
  private static final byte[] GARBAGE = "garbage".getBytes(StandardCharsets.UTF_8);
  private static final Timestamp TIME = Timestamp.from(Instant.parse("2026-11-29T00:00:00.123Z"));

  private static SparkSession spark;
  private static Dataset<Row> messages;

  private LongAccumulator undecodable;
  private Dataset<Row> decoded;

  @BeforeAll
  static void everyThirdIsGarbage() {
    spark = TestSpark.session();
    messages =
        KafkaRows.of(
            spark, IntStream.range(0, MESSAGES).mapToObj(DecodedMessagesTest::message).toList());
  }

  @BeforeEach
  void decode() {
    undecodable = spark.sparkContext().longAccumulator();
    decoded =
        DecodedMessages.observed(DecodedMessages.decode(messages, Optional.empty(), undecodable));
  }

  @Test
  void aRecordBecomesARowWithItsPlaceInTheTopic() {
    List<Row> rows =
        DecodedMessages.healthRows(decoded)
            .select("sequence", "eventType", "durationMs", "kafka.*")
            .orderBy("offset")
            .collectAsList();

    assertThat(rows).extracting(row -> row.getLong(0)).containsExactly(1L, 2L, 4L, 5L, 7L, 8L);
    assertThat(rows.get(0).getString(1)).isEqualTo("PROGRESS");
    assertThat(rows.get(0).getString(3)).isEqualTo("t");
    assertThat(rows.get(0).getInt(4)).isEqualTo(5);
    assertThat(rows.get(0).getLong(5)).isEqualTo(101);
    assertThat(rows.get(0).getTimestamp(6)).isEqualTo(TIME);
  }

  @Test
  void whatIsNoRecordKeepsItsBytesAndTheReason() {
    List<Row> rows =
        DecodedMessages.quarantineRows(decoded)
            .select("kafka.offset", "key", "value", "headers", "reason")
            .orderBy("offset")
            .collectAsList();

    assertThat(rows).extracting(row -> row.getLong(0)).containsExactly(100L, 103L, 106L, 109L);
    assertThat(rows.get(0).<byte[]>getAs(1)).isEqualTo(new byte[] {0});
    assertThat(rows.get(0).<byte[]>getAs(2)).isEqualTo(GARBAGE);
    assertThat(rows.get(0).<Row>getList(3).get(0).getString(0)).isEqualTo("h");
    assertThat(rows.get(0).getString(4)).contains("begins neither with");
  }

  @Test
  void theBytesOfARecordAreNotCarriedAlong() {
    assertThat(decoded.where("reason IS NULL AND (value IS NOT NULL OR key IS NOT NULL)").count())
        .isZero();
  }

  @Test
  void aMessageIsDecodedOnceHoweverOftenItsColumnsAreUsed() {
    // Not observed, so that Spark is free to move the condition next to the decoding.
    DecodedMessages.healthRows(DecodedMessages.decode(messages, Optional.empty(), undecodable))
        .withColumn("ingestedAt", functions.current_timestamp())
        .collectAsList();

    assertThat(undecodable.value()).isEqualTo(4);
  }

  private static Row message(int number) {
    boolean garbage = number % 3 == 0;
    return RowFactory.create(
        new byte[] {(byte) number},
        garbage ? GARBAGE : HealthMessages.numbered(number),
        "t",
        5,
        100L + number,
        TIME,
        0,
        new Row[] {RowFactory.create("h", new byte[] {1})});
  }
}
