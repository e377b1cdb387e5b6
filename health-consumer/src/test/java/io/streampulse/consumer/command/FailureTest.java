package io.streampulse.consumer.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.sun.net.httpserver.HttpServer;
import io.streampulse.config.Secret;
import io.streampulse.consumer.checkpoint.CheckpointException;
import io.streampulse.registry.RegistrySettings;
import io.streampulse.registry.SchemaRegistryClient;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

class FailureTest {
  @Test
  void isTheFirstLineOfTheInnermostCause() {
    Exception failure =
        new Exception("outer", new IllegalStateException("executor lost\nat many places"));

    assertThat(Failure.of(failure, "t"))
        .isEqualTo(new Failure(FailureKind.PASSING, "executor lost"));
  }

  @Test
  void namesTheExceptionThatHasNoMessage() {
    assertThat(Failure.of(new IllegalStateException(), "t").message())
        .isEqualTo("java.lang.IllegalStateException");
  }

  @Test
  void saysHowACatalogBecomesKnown() {
    Failure failure = Failure.of(new Exception("[CATALOG_NOT_FOUND] The catalog `main`"), "t");

    assertThat(failure.kind()).isEqualTo(FailureKind.TABLE);
    assertThat(failure.message())
        .contains("spark.streampulse.consumer.table")
        .contains("spark.sql.catalog.<name>");
  }

  /** As Spark 4.2 says it on a class path without them. */
  @Test
  void namesThePackageThatIsNotThere() {
    Failure kafka =
        Failure.of(
            new Exception(
                "Failed to find data source: kafka. Please deploy the application as per the"
                    + " deployment section of Structured Streaming + Kafka Integration Guide."),
            "t");
    Failure delta =
        Failure.of(
            new Exception(
                new ClassNotFoundException("org.apache.spark.sql.delta.catalog.DeltaCatalog")),
            "t");

    assertThat(kafka.message())
        .startsWith("the Kafka source is not")
        .contains("org.apache.spark:spark-sql-kafka-0-10_2.13");
    assertThat(delta.message()).startsWith("Delta is not").contains("io.delta:delta-spark_");
    assertThat(List.of(kafka, delta))
        .allMatch(f -> f.kind() == FailureKind.MISSING && !f.kind().isRestarted());
    assertThat(Failure.of(new Exception(new ClassNotFoundException("com.acme.Job")), "t").kind())
        .isEqualTo(FailureKind.PASSING);
  }

  @Test
  void aBrokerThatRefusesIsNotAskedAgainOneThatIsSilentIs() {
    assertThat(Failure.of(new Exception(new SaslAuthenticationException("no")), "t").kind())
        .isEqualTo(FailureKind.REFUSED);
    assertThat(Failure.of(new Exception(new TimeoutException("no answer")), "t").kind())
        .isEqualTo(FailureKind.PASSING);
  }

  @Test
  void saysWhichPartitionLostWhichOffsetsAndTheChoices() {
    Exception failure =
        new Exception(
            "Job aborted",
            new IllegalStateException(
                """
                [KAFKA_DATA_LOSS.PARTITION_OFFSET_CHANGED] Some data may have been lost.
                set the source option failOnDataLoss to false. Reason:
                Partition t-0 offset was changed from 500 to 3.
                This could be either 1) a user error SQLSTATE: 22000
                """));

    Failure judged = Failure.of(failure, "t");

    assertThat(judged.kind()).isEqualTo(FailureKind.DATA_LOSS);
    assertThat(judged.message())
        .contains("Partition t-0 offset was changed from 500 to 3.")
        .contains("spark.streampulse.consumer.take-over=true")
        .doesNotContain("failOnDataLoss");
  }

  @Test
  void aFullDiskMayBeEmptiedARefusedLoginMayNot() {
    assertThat(Failure.of(new IOException("No space left on device"), "t"))
        .matches(f -> f.kind().isRestarted() && f.message().contains("make room"));
    assertThat(Failure.of(new IOException("Failed to load table (HTTP 403)"), "t"))
        .matches(f -> !f.kind().isRestarted() && f.message().contains("MODIFY"));
  }

  @Test
  void aBrokenCheckpointIsNotTriedAgain() {
    assertThat(Failure.of(new Exception(new CheckpointException("torn")), "t"))
        .isEqualTo(new Failure(FailureKind.CHECKPOINT, "torn"));
  }

  @Test
  void aRegistryThatIsAwayMayComeBackAndOneThatRefusesTheLoginDoesNot() throws Exception {
    int dead;
    try (ServerSocket port = new ServerSocket(0)) {
      dead = port.getLocalPort();
    }
    Throwable away = catchThrowable(() -> client("http://localhost:" + dead).schema(1));
    assertThat(Failure.of(new Exception("Job aborted", away), "t"))
        .matches(f -> f.kind() == FailureKind.PASSING)
        .matches(f -> f.message().startsWith("can't get the schema with id 1: "));
    HttpServer server = HttpServer.create(new InetSocketAddress("localhost", 0), 0);
    server.createContext("/", exchange -> exchange.sendResponseHeaders(401, -1));
    server.start();
    try {
      Throwable refused =
          catchThrowable(
              () -> client("http://localhost:" + server.getAddress().getPort()).schema(1));
      assertThat(Failure.of(new Exception("Job aborted", refused), "t"))
          .matches(f -> f.kind() == FailureKind.REFUSED)
          .matches(f -> f.message().contains("schema-registry.basic-auth"));
    } finally {
      server.stop(0);
    }
  }

  private static SchemaRegistryClient client(String url) {
    return new SchemaRegistryClient(
        new RegistrySettings(
            List.of(URI.create(url)),
            Secret.NONE,
            Secret.NONE,
            "",
            Duration.ofSeconds(5),
            Duration.ZERO));
  }
}
