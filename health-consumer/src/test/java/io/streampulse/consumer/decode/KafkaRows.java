package io.streampulse.consumer.decode;

import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** Rows made by hand, with the columns of Spark's Kafka source. */
public final class KafkaRows {
  private static final StructType COLUMNS =
      new StructType()
          .add("key", DataTypes.BinaryType)
          .add("value", DataTypes.BinaryType)
          .add("topic", DataTypes.StringType)
          .add("partition", DataTypes.IntegerType)
          .add("offset", DataTypes.LongType)
          .add("timestamp", DataTypes.TimestampType)
          .add("timestampType", DataTypes.IntegerType)
          .add(
              "headers",
              DataTypes.createArrayType(
                  new StructType()
                      .add("key", DataTypes.StringType)
                      .add("value", DataTypes.BinaryType)));

  private KafkaRows() {}

  /** A dataset of them. */
  public static Dataset<Row> of(SparkSession spark, List<Row> rows) {
    return spark.createDataFrame(rows, COLUMNS);
  }
}
