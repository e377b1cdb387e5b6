package io.streampulse.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** Temporary folders of tests, demo and benchmarks. */
public final class Folders {
  private Folders() {}

  /** Copies a folder with all that is in it to one that is not there. */
  public static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file).toString()));
      }
    }
  }

  /** Deletes a folder with all that is in it, as far as it can be deleted. Never throws. */
  public static void delete(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    } catch (IOException | UncheckedIOException e) {
      // A process that has just ended may have removed a file: what is left is temporary.
    }
  }
}
