package io.streampulse.consumer.append;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.streampulse.consumer.table.TableName;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class AppendWatchdogTest {
  private static final TableName TABLE = TableName.parse("main.monitoring.health");

  @Test
  void saysAgainAndAgainWhatALongAppendWaitsFor() {
    List<String> said = new CopyOnWriteArrayList<>();
    try (AppendWatchdog.Watch watch =
        AppendWatchdog.watch(TABLE, Duration.ofMillis(20), said::add)) {
      assertThat(watch).isNotNull();
      await().atMost(Duration.ofSeconds(10)).until(() -> said.size() >= 2);
    }
    assertThat(said.get(0)).contains("An append to main.monitoring.health takes ", "MODIFY");
  }

  @Test
  void isSilentOnceTheAppendIsDone() throws Exception {
    List<String> said = new CopyOnWriteArrayList<>();
    Duration patience = Duration.ofMillis(100);
    AppendWatchdog.watch(TABLE, patience, said::add).close();
    Thread.sleep(3 * patience.toMillis());
    assertThat(said).isEmpty();
  }
}
