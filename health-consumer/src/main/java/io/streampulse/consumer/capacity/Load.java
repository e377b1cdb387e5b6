package io.streampulse.consumer.capacity;

import java.time.Duration;

/**
 * A fleet, and what is known of the machines that watch it.
 *
 * @param queries streaming queries
 * @param trigger from one micro-batch of a query to its next
 * @param agents applications, each with one agent
 * @param recordBytes bytes of a message without its key
 * @param heartbeat after how long without a record an agent sends one
 * @param flush how often an agent publishes
 * @param consumerTrigger from one micro-batch of the consumer to its next
 * @param topicDays how long the topic keeps records
 * @param tableDays how long the table keeps rows
 * @param recordsPerSecondPerCore what a core of the consumer works off
 * @param bytesPerRow bytes of a row in the table
 */
public record Load(
    long queries,
    Duration trigger,
    long agents,
    int recordBytes,
    Duration heartbeat,
    Duration flush,
    Duration consumerTrigger,
    int topicDays,
    int tableDays,
    int recordsPerSecondPerCore,
    int bytesPerRow) {}
