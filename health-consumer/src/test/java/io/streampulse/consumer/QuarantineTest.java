package io.streampulse.consumer;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.streampulse.consumer.decode.DecodedMessages;
import io.streampulse.consumer.decode.KafkaRows;
import io.streampulse.consumer.table.TableName;
import java.nio.charset.StandardCharsets;
import java.sql.Timestamp;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.util.LongAccumulator;
import org.junit.jupiter.api.Test;

class QuarantineTest {
  private static final TableName TABLE = TableName.parse("c.s.t_quarantine");

  private final SparkSession spark = TestSpark.session();
  private final LongAccumulator undecodable =
      spark.sparkContext().longAccumulator("undecodable messages");
  private final Quarantine quarantine = new Quarantine(TABLE, null, undecodable);

  @Test
  void aBatchThatIsDecodedOtherwiseTheSecondTimeIsNotAppended() {
    undecodable.add(2); // by the append of the health records

    assertThatThrownBy(() -> quarantine.append(oneUndecodable(), 7, Optional.empty(), false))
        .isInstanceOf(DecodedDifferentlyException.class)
        .hasMessageContaining("batch 7 had 2 messages that can't be decoded, and 1 when");
  }

  @Test
  void aBatchWithoutUndecodableMessagesIsNotReadAgain() {
    Dataset<Row> failing =
        oneUndecodable().withColumn("x", functions.raise_error(functions.lit("read again")));

    assertThatCode(() -> quarantine.append(failing, 7, Optional.empty(), false))
        .doesNotThrowAnyException();
  }

  private Dataset<Row> oneUndecodable() {
    byte[] value = "no record".getBytes(StandardCharsets.UTF_8);
    Row message = RowFactory.create(null, value, "t", 0, 0L, new Timestamp(0), 0, null);
    return DecodedMessages.decode(
        KafkaRows.of(spark, List.of(message)),
        Optional.empty(),
        spark.sparkContext().longAccumulator("of the second time"));
  }
}
