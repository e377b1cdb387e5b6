package io.streampulse.wire;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A map of bounded size: what has not been used for longest goes. Not thread-safe, not even for
 * reading.
 */
public final class LruMap<K, V> extends LinkedHashMap<K, V> {
  private static final long serialVersionUID = 1L;

  private final int mostEntries;

  /** An empty map. */
  public LruMap(int mostEntries) {
    super(16, 0.75f, true);
    this.mostEntries = mostEntries;
  }

  @Override
  protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
    return size() > mostEntries;
  }
}
