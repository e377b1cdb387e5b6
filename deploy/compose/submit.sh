#!/usr/bin/env bash
# Starts one of the applications of docker-compose.yml by spark-submit: consumer, fleet or job.
set -euo pipefail
home=/opt/streampulse
submit=/opt/spark/bin/spark-submit
login() {
  login=(
    --conf "spark.streampulse.sasl.username=$1"
    --conf "spark.streampulse.sasl.password=\${env:STREAMPULSE_PASSWORD}"
  )
}
catalog=(
  --conf spark.sql.extensions=io.delta.sql.DeltaSparkSessionExtension
  --conf spark.sql.catalog.spark_catalog=org.apache.spark.sql.delta.catalog.DeltaCatalog
  --conf spark.sql.catalog.unity=io.unitycatalog.spark.UCSingleCatalog
  --conf spark.sql.catalog.unity.uri=http://unity-catalog:8080
  --conf spark.sql.catalog.unity.token=
)
table=unity.streaming_monitoring.streaming_health
case $1 in
  consumer)
    login consumer
    # Object storage has no rename: progress is written by uploads that are finished or not there.
    exec "$submit" "${catalog[@]}" "${login[@]}" --jars "$home/listener-agent.jar" \
      --conf spark.hadoop.fs.s3a.endpoint=http://object-storage:9000 \
      --conf spark.hadoop.fs.s3a.path.style.access=true \
      --conf spark.sql.streaming.checkpointFileManagerClass=org.apache.spark.internal.io.cloud.AbortableStreamBasedCheckpointFileManager \
      --conf "spark.streampulse.consumer.table=$table" \
      --conf spark.streampulse.consumer.table-location=/tables/streaming_health \
      --conf spark.streampulse.consumer.checkpoint=s3a://streampulse/checkpoints/health-consumer \
      --class io.streampulse.consumer.Main "$home/health-consumer.jar" run
    ;;
  fleet)
    exec "$submit" "${catalog[@]}" --master 'local[1]' \
      --class io.streampulse.consumer.Main "$home/health-consumer.jar" serve \
      --conf "spark.streampulse.consumer.table=$table" --host 0.0.0.0 --port 8088
    ;;
  job)
    login agents
    exec "$submit" "${login[@]}" --master 'local[2]' --jars "$home/listener-agent.jar" \
      --conf spark.sql.streaming.streamingQueryListeners=io.streampulse.agent.HealthListener \
      "$home/streaming_job.py" /tmp/checkpoints
    ;;
  *)
    echo "submit.sh: consumer, fleet or job, not $1" >&2
    exit 2
    ;;
esac
