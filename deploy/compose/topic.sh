#!/usr/bin/env bash
# The topic, and the rights: agents describe and write it; the consumer describes and reads it, and
# writes, since it carries the agent too.
set -euo pipefail
bin=/opt/kafka/bin
at=(--bootstrap-server kafka:9093 --command-config /etc/kafka/secrets/broker.properties)
topic=streaming-health
"$bin"/kafka-topics.sh "${at[@]}" --create --if-not-exists --topic "$topic" --partitions 8 \
  --replication-factor 1 --config retention.ms=604800000
"$bin"/kafka-acls.sh "${at[@]}" --add --allow-principal User:agents --operation Describe \
  --operation Write --topic "$topic"
"$bin"/kafka-acls.sh "${at[@]}" --add --allow-principal User:consumer --operation Describe \
  --operation Read --operation Write --topic "$topic"
