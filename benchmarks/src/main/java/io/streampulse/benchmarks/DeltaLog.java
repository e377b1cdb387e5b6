package io.streampulse.benchmarks;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The commits of a Delta table on this machine, read from its log without Spark. */
final class DeltaLog {
  private static final ObjectMapper JSON = new ObjectMapper();

  private DeltaLog() {}

  /** The commits that appended rows, oldest first; none where there is no table yet. */
  static List<Commit> appends(Path table) throws IOException {
    Path log = table.resolve("_delta_log");
    if (!Files.isDirectory(log)) {
      return List.of();
    }
    List<Path> versions;
    try (Stream<Path> files = Files.list(log)) {
      versions =
          files
              .filter(file -> file.getFileName().toString().matches("\\d+\\.json"))
              .sorted()
              .toList();
    }
    List<Commit> appends = new ArrayList<>();
    for (Path version : versions) {
      Commit commit = read(version);
      if (commit.rows() > 0) {
        appends.add(commit);
      }
    }
    return appends;
  }

  private static Commit read(Path version) throws IOException {
    List<String> files = new ArrayList<>();
    long bytes = 0;
    long rows = 0;
    for (String line : Files.readAllLines(version)) {
      JsonNode add = JSON.readTree(line).path("add");
      if (!add.isMissingNode()) {
        String path = add.path("path").asText();
        files.add(path.substring(path.lastIndexOf('/') + 1));
        bytes += add.path("size").asLong();
        rows += JSON.readTree(add.path("stats").asText("{}")).path("numRecords").asLong();
      }
    }
    return new Commit(
        Files.getLastModifiedTime(version).toInstant(), files, bytes, rows, Files.size(version));
  }

  /**
   * One commit.
   *
   * @param time when its file was written: from then on its rows are visible
   * @param files the names of the files it added
   * @param bytes of these
   * @param rows in these
   * @param logBytes of the commit's own file
   */
  record Commit(Instant time, List<String> files, long bytes, long rows, long logBytes) {}
}
