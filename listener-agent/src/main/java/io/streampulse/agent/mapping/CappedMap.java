package io.streampulse.agent.mapping;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A map of bounded size. Keys of one partition or instance each, of which there can be thousands,
 * are left out first, then the last ones in alphabetical order.
 *
 * @param leftOut how many entries are not in it
 */
record CappedMap<V>(Map<String, V> map, int leftOut) {
  static final int MOST_ENTRIES = 256;

  private static final Comparator<Map.Entry<String, ?>> NEEDED_FIRST =
      Comparator.<Map.Entry<String, ?>, Boolean>comparing(e -> e.getKey().contains(".partition_"))
          .thenComparing(Map.Entry::getKey);

  static <V> CappedMap<V> of(Map<String, V> map) {
    Map<String, V> copy = new HashMap<>();
    map.forEach(
        (key, value) -> {
          if (key != null && value != null) {
            copy.put(key, value);
          }
        });
    if (copy.size() <= MOST_ENTRIES) {
      return new CappedMap<>(copy, 0);
    }
    List<Map.Entry<String, V>> ordered = copy.entrySet().stream().sorted(NEEDED_FIRST).toList();
    Map<String, V> kept = new HashMap<>();
    ordered.subList(0, MOST_ENTRIES).forEach(e -> kept.put(e.getKey(), e.getValue()));
    return new CappedMap<>(kept, copy.size() - MOST_ENTRIES);
  }
}
