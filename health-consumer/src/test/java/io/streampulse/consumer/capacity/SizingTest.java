package io.streampulse.consumer.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class SizingTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  @Test
  void aRecordForEachQueryAndTrigger() {
    assertThat(sizing(1_000, SECOND).records()).isEqualTo(1_000);
    assertThat(sizing(1_000, Duration.ofMillis(250)).records()).isEqualTo(4_000);
    assertThat(sizing(1_000, Duration.ofSeconds(10)).records()).isEqualTo(100);
  }

  @Test
  void heartbeatsOnlyWhereTheGapIsAsLongAsTheirInterval() {
    assertThat(sizing(1_000, Duration.ofSeconds(59)).heartbeats()).isZero();
    assertThat(sizing(1_200, Duration.ofMinutes(1)).heartbeats()).isEqualTo(300 / 60.0);
    assertThat(sizing(1_200, Duration.ofSeconds(150)).heartbeats()).isEqualTo(300 * 2 / 150.0);
    assertThat(sizing(1_200, Duration.ofMinutes(1)).records()).isEqualTo(25);
  }

  @Test
  void aFlushsRecordsOfAQueryAreOneBatchUpTo16Kilobytes() {
    assertThat(sizing(100, SECOND).batches()).isEqualTo(10);
    assertThat(sizing(100, Duration.ofMinutes(1)).batches())
        .isEqualTo(sizing(100, Duration.ofMinutes(1)).records());
    // Three of 5,000 bytes fit, four do not; of one larger than a batch, one.
    assertThat(new Sizing(Loads.ofBytes(300, SECOND, 5_000)).batches()).isEqualTo(100);
    assertThat(new Sizing(Loads.ofBytes(300, SECOND, 20_000)).batches()).isEqualTo(300);
  }

  @Test
  void ingressIsRecordsAndWhatIsAroundThem() {
    assertThat(sizing(100, SECOND).ingressBytes())
        .isEqualTo(100 * (Measured.RECORD_BYTES + 48) + 10 * 61);
    assertThat(sizing(100, SECOND).topicBytes())
        .isCloseTo(7 * 86_400 * sizing(100, SECOND).ingressBytes(), within(1.0));
  }

  @Test
  void partitionsHaveRoomForTwiceTheRecordsAndForEachCore() {
    assertThat(new Sizing(Loads.ofBytes(500, SECOND, 1)).partitions()).isEqualTo(1);
    assertThat(new Sizing(Loads.ofBytes(501, SECOND, 1)).partitions()).isEqualTo(2);
    Load slowConsumer =
        new Load(
            500,
            SECOND,
            125,
            1,
            Duration.ofMinutes(1),
            SECOND,
            SECOND,
            7,
            30, /* a core's */
            100,
            66);
    assertThat(new Sizing(slowConsumer).partitions()).isEqualTo(10);
  }

  @Test
  void coresWorkOffTwiceWhatArrivesSoThatAnHourIsCaughtUpInOne() {
    assertThat(sizing(5_000, SECOND).cores()).isEqualTo(1);
    assertThat(sizing(5_000, SECOND).catchUpSeconds()).isEqualTo(3_600);
    assertThat(sizing(5_001, SECOND).cores()).isEqualTo(2);
    assertThat(sizing(20_000, SECOND).executors()).isEqualTo(1);
    assertThat(sizing(20_001, SECOND).executors()).isEqualTo(2);
    assertThat(sizing(1, Duration.ofDays(1)).cores()).isEqualTo(1);
  }

  @Test
  void anEventHubIsCaughtUpWithNoFasterThanItGives() {
    Sizing small = sizing(100, SECOND);
    assertThat(small.catchUpSeconds()).isCloseTo(360_000 / 9_900.0, within(1e-6));
    double given = 2e6 / (small.ingressBytes() / 100);
    assertThat(small.eventHubsCatchUpSeconds())
        .isCloseTo(360_000 / (given - 100), within(1e-6))
        .isGreaterThan(small.catchUpSeconds());
  }

  @Test
  void whatFloatingPointAddsIsNoThroughputUnit() {
    // A tenth of a second is no binary number.
    Load load = Loads.ofBytes(300, Duration.ofMillis(100), 1);
    assertThat(new Sizing(load).throughputUnits()).isEqualTo(3);
    assertThat(Numbers.up(3 * (1 + 1e-12))).isEqualTo(3);
    assertThat(Numbers.up(3.0001)).isEqualTo(4);
  }

  @Test
  void aCommitForEachTriggerThatHasARecord() {
    assertThat(sizing(1_000, SECOND).commitsPerHour()).isEqualTo(360);
    Sizing rare = sizing(1, Duration.ofSeconds(20));
    assertThat(rare.commitsPerHour()).isEqualTo(180);
    assertThat(rare.filesPerDay()).isEqualTo(180 * 24);
    assertThat(rare.filesPerDayMaintained()).isEqualTo(1);
  }

  @Test
  void aFileForEach20000RowsOfACommit() {
    assertThat(sizing(2_000, SECOND).filesPerDay()).isEqualTo(360 * 24);
    assertThat(sizing(2_001, SECOND).filesPerDay()).isEqualTo(360 * 24 * 2);
    // One partition, 40,000 rows in a commit: no more files than partitions.
    Load onePartition =
        new Load(
            400,
            SECOND,
            100,
            1,
            Duration.ofMinutes(1),
            SECOND,
            Duration.ofSeconds(100),
            7,
            30,
            10_000,
            66);
    assertThat(new Sizing(onePartition).partitions()).isEqualTo(1);
    assertThat(new Sizing(onePartition).filesPerDay()).isCloseTo(864, within(1e-6));
  }

  @Test
  void filesOfAGigabyteAfterMaintenance() {
    // 57 GB in a day.
    assertThat(sizing(10_000, SECOND).filesPerDayMaintained()).isEqualTo(54);
  }

  @Test
  void aFirstLookReadsAWeekOrWhatThereIsAndLaterOnesADay() {
    assertThat(sizing(10_000, SECOND).firstLookRows()).isEqualTo(7 * 864_000_000.0);
    assertThat(new Sizing(Loads.of(10_000, SECOND, 990, 3)).firstLookRows())
        .isEqualTo(3 * 864_000_000.0);
    assertThat(sizing(10_000, SECOND).laterLookRows()).isEqualTo(864_000_000.0);
  }

  @Test
  void anAgentsBufferLastsByItsQueriesRate() {
    assertThat(sizing(10_000, SECOND).bufferSeconds()).isEqualTo(250);
    assertThat(sizing(10_000, Duration.ofSeconds(10)).bufferSeconds()).isEqualTo(2_500);
  }

  private static Sizing sizing(long queries, Duration trigger) {
    return new Sizing(Loads.of(queries, trigger));
  }
}
