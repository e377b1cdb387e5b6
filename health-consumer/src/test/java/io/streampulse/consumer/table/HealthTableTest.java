package io.streampulse.consumer.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.streampulse.consumer.TestSpark;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HealthTableTest {
  private static final TableName NAME = new TableName("main", "s", "t-1");

  @Test
  void createsByPublicSqlWithThreePartName() {
    String sql =
        HealthTable.health(NAME)
            .createStatement(Optional.empty(), Map.of("delta.appendOnly", "true"));

    assertThat(sql)
        .startsWith("CREATE TABLE IF NOT EXISTS `main`.`s`.`t-1` (agentId STRING COMMENT ")
        .contains(" USING DELTA CLUSTER BY (queryId, eventTime) COMMENT ")
        .contains("'delta.appendOnly' = 'true'")
        .doesNotContain("LOCATION");
  }

  @Test
  void statisticsCoverClusteringColumnsAndKafkaCoordinates() {
    assertThat(HealthTable.health(NAME).createStatement(Optional.empty(), Map.of()))
        .containsPattern(
            "'delta.dataSkippingStatsColumns' = '[^']*kafka.offset[^']*eventTime[^']*queryId");
  }

  @Test
  void whatIsNotAtItsLocationIsNotMadeThere(@TempDir Path folder) {
    TableName name = TableName.parse("spark_catalog.nowhere.t");
    Path location = folder.resolve("table");

    assertThatThrownBy(
            () ->
                HealthTable.health(name)
                    .register(TestSpark.session(), Optional.of(location.toString())))
        .isInstanceOf(TableException.class)
        .hasMessageStartingWith("table spark_catalog.nowhere.t is not at " + location);
    assertThat(location).doesNotExist();
  }

  @Test
  void quotesLocation() {
    assertThat(HealthTable.quarantine(NAME).createStatement(Optional.of("/it's/here"), Map.of()))
        .contains(" LOCATION '/it\\'s/here'");
  }
}
