package io.streampulse.config;

import java.util.Collection;

/** Finds the name that a mistyped one was meant to be. */
final class Spelling {
  private static final int MOST_EDITS = 3;

  private Spelling() {}

  /** {@code "; did you mean X?"}, or nothing where no name is near. */
  static String suggestion(String name, Collection<String> names) {
    String nearest = null;
    int fewest = MOST_EDITS + 1;
    for (String candidate : names) {
      int edits = edits(name, candidate);
      if (edits < fewest) {
        fewest = edits;
        nearest = candidate;
      }
    }
    return nearest == null ? "" : "; did you mean " + nearest + "?";
  }

  /** Levenshtein distance. */
  private static int edits(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int substitute = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(substitute, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[b.length()];
  }
}
