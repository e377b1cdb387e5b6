package io.streampulse.consumer.metrics;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * Turns each agent's cumulative counts of dropped records into counts that only ever rise.
 *
 * <p>What the first reading finds is where counting begins: counted, it would look like a burst of
 * drops after every restart of this process.
 */
final class DroppedRecords {
  private static final String OTHER = "other";
  private static final List<String> REASONS =
      List.of("buffer_full", "too_large", "encode_failed", "publish_failed", "closed", OTHER);

  /** An agent that comes back must not be counted again; one that never does must be let go. */
  private static final int REMEMBERED_AGENTS = 100_000;

  private final Map<String, LongAdder> totals = new LinkedHashMap<>();
  private final Map<String, Map<String, Long>> counted =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Map<String, Long>> eldest) {
          return size() > REMEMBERED_AGENTS;
        }
      };
  private boolean begun;

  DroppedRecords() {
    REASONS.forEach(reason -> totals.put(reason, new LongAdder()));
  }

  /** The count of every reason. The map never changes, its counts do. */
  Map<String, LongAdder> totals() {
    return totals;
  }

  void count(List<ObjectNode> agents) {
    for (ObjectNode agent : agents) {
      Map<String, Long> before =
          counted.computeIfAbsent(agent.path("agentId").asText(), id -> new LinkedHashMap<>());
      agent
          .path("dropped")
          .properties()
          .forEach(
              entry -> {
                long now = entry.getValue().asLong();
                long increase = now - before.getOrDefault(entry.getKey(), 0L);
                if (increase > 0) {
                  before.put(entry.getKey(), now);
                  if (begun) {
                    totals.getOrDefault(entry.getKey(), totals.get(OTHER)).add(increase);
                  }
                }
              });
    }
    begun = true;
  }
}
