package io.streampulse.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.streampulse.testing.ChildJvm;
import io.streampulse.testing.HealthTopic;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A fleet in the middle of an upgrade to a schema with one field more, and back: jars of this
 * version and of the next, agents and consumers, over one topic and one table.
 */
@Tag("schema-registry")
class RollingUpgradeIT {
  private static final Duration LONGEST = Duration.ofMinutes(2);
  private static final String URL = "spark.streampulse.schema-registry.url";
  private static final Path OLD_AGENT = ChildJvm.jarOnClassPath("streampulse-listener-agent");
  private static final Path OLD_CONSUMER = ChildJvm.jarOnClassPath("streampulse-health-consumer");
  private static final String OF_NEW_AGENT = NextVersion.FIELD + " = '" + NextVersion.VALUE + "'";

  @Test
  void agentsAndConsumersOfTwoVersionsUnderstandEachOtherThroughAnUpgradeAndBack()
      throws Exception {
    NextVersion next = NextVersion.build();
    try (ApicurioRegistry registry = ApicurioRegistry.start();
        ConsumerFixture it = new ConsumerFixture("rolling-upgrade-it", 1)) {
      registry.call(
          "PUT", "/config/rolling-upgrade-it-value", "{\"compatibility\":\"FULL_TRANSITIVE\"}");
      it.conf.put(URL, registry.url());

      try (ChildJvm old = Environment.submitConsumerJar("old", it.conf, OLD_CONSUMER, "run")) {
        job(it, OLD_AGENT, registry.url());
        job(it, next.agentJar(), registry.url());
        it.awaitFilesRows(old, sent(it));
        stop(old);
      }
      assertThat(it.files().columns()).doesNotContain(NextVersion.FIELD);
      assertThat(it.files().count()).isEqualTo(sent(it));
      assertThat(registry.call("GET", "/subjects/rolling-upgrade-it-value/versions", "").body())
          .isEqualTo("[1,2]");

      long beforeUpgrade = sent(it);
      long ofNewAgent;
      try (ChildJvm upgraded =
          Environment.submitConsumerJar("upgraded", it.conf, next.consumerJar(), "run")) {
        job(it, OLD_AGENT, registry.url());
        ofNewAgent = job(it, next.agentJar(), registry.url());
        ofNewAgent += job(it, next.agentJar(), null);
        it.awaitFilesRows(upgraded, sent(it));
        stop(upgraded);
      }
      assertThat(it.files().count()).isEqualTo(sent(it));
      assertThat(it.files().columns()).contains(NextVersion.FIELD);
      assertThat(it.files().where(OF_NEW_AGENT).count()).isEqualTo(ofNewAgent);
      assertThat(it.files().where(NextVersion.FIELD + " IS NULL").count())
          .isGreaterThan(beforeUpgrade)
          .isEqualTo(sent(it) - ofNewAgent);

      long inTheTable = sent(it);
      long singleObjects;
      try (ChildJvm back = Environment.submitConsumerJar("back", it.conf, OLD_CONSUMER, "run")) {
        inTheTable += job(it, next.agentJar(), registry.url());
        // Without a registry an old consumer can't know a newer schema: the bytes wait for it.
        singleObjects = job(it, next.agentJar(), null);
        it.awaitFilesRows(back, sent(it));
        stop(back);
      }
      assertThat(it.files().count()).isEqualTo(inTheTable);
      assertThat(it.files().columns()).contains(NextVersion.FIELD);
      it.register();
      Dataset<Row> quarantined = it.rows(it.table + "_quarantine");
      assertThat(quarantined.where("reason LIKE '%may be newer than this consumer'").count())
          .isEqualTo(singleObjects)
          .isEqualTo(quarantined.count());
      it.assertExactlyOnce();
    }
  }

  /** Runs a job with an agent to its end; how many records that was. */
  private static long job(ConsumerFixture it, Path agent, String registry) throws Exception {
    long before = sent(it);
    Path folder = Environment.newFolder("job");
    Map<String, String> conf = Environment.agentConf(Environment.broker().plainClient(), it.topic);
    if (registry != null) {
      conf.put(URL, registry);
    }
    try (ChildJvm job =
        Environment.submit(
            "job",
            RateJob.class,
            conf,
            List.of(agent),
            "2",
            folder.resolve("checkpoint").toString(),
            folder.resolve("truth").toString())) {
      assertThat(job.awaitExit(LONGEST)).as(job.output()).isZero();
      assertThat(job.output()).contains(" 0 dropped");
    }
    assertThat(sent(it)).isGreaterThan(before);
    return sent(it) - before;
  }

  private static long sent(ConsumerFixture it) {
    return HealthTopic.ends(Environment.broker(), it.topic).get(0);
  }

  private static void stop(ChildJvm consumer) {
    consumer.terminate();
    assertThat(consumer.awaitExit(LONGEST)).as(consumer.output()).isEqualTo(143);
  }
}
