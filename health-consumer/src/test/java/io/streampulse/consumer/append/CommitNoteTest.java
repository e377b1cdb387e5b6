package io.streampulse.consumer.append;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CommitNoteTest {
  private static final RunInfo RUN =
      new RunInfo("r", "h", 1, Instant.parse("2026-11-29T00:00:00Z"));

  @Test
  void isReadAsItWasWritten() {
    CommitNote append =
        CommitNote.append(
            RUN,
            RunVersion.of("q", 1),
            "t",
            Instant.parse("2026-11-29T00:00:01.000001Z"),
            Optional.of(Map.of(0, 5L, 11, 7L)));
    CommitNote fence = CommitNote.fence(RUN, RunVersion.of("q", 1), "t");

    assertThat(CommitNote.parse(append.json())).contains(append);
    assertThat(CommitNote.parse(fence.json())).contains(fence);
    assertThat(fence.json())
        .contains("\"run\":\"r (host h, process 1, started 2026-11-29T00:00:00Z)\"");
  }

  @Test
  void othersNotesAreNone() {
    assertThat(CommitNote.parse(null)).isEmpty();
    assertThat(CommitNote.parse("nightly job")).isEmpty();
    assertThat(CommitNote.parse("{\"streampulse\":2,\"kind\":\"append\"}")).isEmpty();
    assertThat(CommitNote.parse("{\"streampulse\":1,\"kind\":")).isEmpty();
  }
}
