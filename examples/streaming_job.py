"""A PySpark job with two streaming queries. It knows nothing of Streampulse: the agent comes by conf.

    spark-submit \\
      --jars streampulse-listener-agent-0.1.0-SNAPSHOT.jar \\
      --conf spark.sql.streaming.streamingQueryListeners=io.streampulse.agent.HealthListener \\
      --conf spark.streampulse.agent.publisher=log \\
      streaming_job.py /tmp/checkpoints

With publisher=log the records go to the driver's log; leave it out and name your topic's brokers.
"""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F


def main(checkpoints: str) -> None:
    spark = SparkSession.builder.appName("streaming-job").getOrCreate()
    events = spark.readStream.format("rate").option("rowsPerSecond", 100).load()

    (
        events.writeStream.queryName("events-as-they-come")
        .option("checkpointLocation", f"{checkpoints}/events")
        .trigger(processingTime="2 seconds")
        .format("noop")
        .start()
    )
    (
        events.withWatermark("timestamp", "10 seconds")
        .groupBy(F.window("timestamp", "5 seconds"))
        .count()
        .writeStream.queryName("events-by-window")
        .option("checkpointLocation", f"{checkpoints}/windows")
        .trigger(processingTime="5 seconds")
        .outputMode("append")
        .format("noop")
        .start()
    )
    spark.streams.awaitAnyTermination()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: streaming_job.py CHECKPOINT_FOLDER")
    main(sys.argv[1])
