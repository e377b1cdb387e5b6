package io.streampulse.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.streampulse.schema.EventType;
import io.streampulse.schema.HealthRecord;
import io.streampulse.testing.ChildJvm;
import io.streampulse.testing.EmbeddedBroker;
import io.streampulse.testing.HealthTopic;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A broker that is not there at start, and goes in mid-run: the job goes on, nothing is lost. */
class BrokerOutageIT {
  private static final String TOPIC = "streaming-health";

  @Test
  void recordsWaitForABrokerThatComesLateAndForOneThatComesBack() throws Exception {
    Path folder = Environment.newFolder("outage");
    int port = EmbeddedBroker.freePort();
    Map<String, String> client;
    // Made once for its certificate and password, then gone: down at start.
    EmbeddedBroker first = EmbeddedBroker.start(folder.resolve("broker"), port);
    first.createTopic(TOPIC, 1);
    client = new HashMap<>(first.plainClient());
    first.close();

    Path enough = folder.resolve("enough");
    Path truth = folder.resolve("truth.txt");
    try (ChildJvm job =
        Environment.submit(
            "outage-job",
            RateJob.class,
            Environment.agentConf(client, TOPIC),
            List.of(ChildJvm.jarOnClassPath("streampulse-listener-agent")),
            enough.toString(),
            folder.resolve("checkpoint").toString(),
            truth.toString())) {
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> job.output().contains("Health records wait") || !job.isAlive());
      try (EmbeddedBroker second = first.again()) {
        await()
            .atMost(Duration.ofMinutes(1))
            .until(() -> !HealthTopic.read(second, TOPIC).isEmpty());
      }
      Thread.sleep(3_000); // the outage in mid-run, whatever the agent does meanwhile
      try (EmbeddedBroker third = first.again()) {
        int before = HealthTopic.read(third, TOPIC).size();
        await()
            .atMost(Duration.ofMinutes(1))
            .until(() -> HealthTopic.read(third, TOPIC).size() > before + 3 || !job.isAlive());
        Files.createFile(enough);
        assertThat(job.awaitExit(Duration.ofMinutes(2))).as(job.output()).isZero();
        assertThat(job.output()).contains(" 0 dropped");
        List<HealthRecord> records = HealthTopic.read(third, TOPIC);
        assertThat(records)
            .extracting(HealthRecord::getSequence)
            .doesNotHaveDuplicates()
            .hasSize(records.stream().mapToInt(r -> (int) r.getSequence()).max().orElseThrow() + 1);
        assertThat(records)
            .filteredOn(r -> r.getEventType() == EventType.PROGRESS)
            .hasSameSizeAs(Files.readAllLines(truth));
        assertThat(records).filteredOn(r -> r.getEventType() == EventType.AGENT_STOPPED).hasSize(1);
      }
    }
  }
}
