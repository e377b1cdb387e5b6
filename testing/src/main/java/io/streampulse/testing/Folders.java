package io.streampulse.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Set;
import java.util.stream.Stream;

/** Temporary folders of tests, demo and benchmarks. */
public final class Folders {
  private Folders() {}

  /** Copies a folder with all that is in it to one that is not there. */
  public static void copy(Path from, Path to) throws IOException {
    copy(from, to, Set.of());
  }

  /** The same without the files and folders, at any depth, that have one of the names. */
  public static void copy(Path from, Path to, Set<String> leftBehind) throws IOException {
    Files.copy(from, to);
    if (Files.isDirectory(from)) {
      try (Stream<Path> children = Files.list(from)) {
        for (Path child : children.toList()) {
          String name = child.getFileName().toString();
          if (!leftBehind.contains(name)) {
            copy(child, to.resolve(name), leftBehind);
          }
        }
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
