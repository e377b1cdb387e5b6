package io.streampulse.consumer.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.streampulse.consumer.checkpoint.OffsetFile.TornFileException;
import io.streampulse.consumer.source.KafkaOffsets;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.fs.Path;

/**
 * A query's checkpoint folder on any Hadoop file system: what Spark has written there, and the few
 * changes a repair makes.
 *
 * <p>Every method throws {@link CheckpointException} where the storage can't be used.
 */
public final class CheckpointDirectory {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Path path;
  private final FileSystem files;

  private CheckpointDirectory(Path path, FileSystem files) {
    this.path = path;
    this.files = files;
  }

  /** The folder, which need not be there. */
  public static CheckpointDirectory at(String path, Configuration hadoop) {
    try {
      Path folder = new Path(path);
      FileSystem files = folder.getFileSystem(hadoop);
      return new CheckpointDirectory(files.makeQualified(folder), files);
    } catch (IOException | IllegalArgumentException e) {
      throw new CheckpointException(
          "checkpoint %s can't be used: %s".formatted(path, reason(e)), e);
    }
  }

  @Override
  public String toString() {
    return path.toString();
  }

  /** Spark's id of the query; empty before its first start. */
  public Optional<String> queryId() {
    return read(new Path(path, "metadata"))
        .map(
            text -> {
              try {
                JsonNode id = JSON.readTree(text).get("id");
                return id == null ? "" : id.asText();
              } catch (IOException e) {
                return "";
              }
            })
        .map(
            id -> {
              if (id.isEmpty()) {
                throw new CheckpointException(
                    "checkpoint %s: metadata, which holds the query's id, can't be read; it must be"
                            .formatted(path)
                        + " restored from a backup");
              }
              return id;
            });
  }

  /** The ids in {@code offsets}. */
  public NavigableSet<Long> offsetIds() {
    return ids("offsets");
  }

  /** The ids in {@code commits}. */
  public NavigableSet<Long> commitIds() {
    return ids("commits");
  }

  OffsetFile offsets(long id) throws TornFileException {
    String name = "offsets/" + id;
    return OffsetFile.parse(name, read(new Path(path, name)).orElse(""));
  }

  /** Whether a commit file is whole. */
  boolean isWholeCommit(long id) {
    String text = read(new Path(path, "commits/" + id)).orElse("");
    return text.startsWith("v1\n") && text.strip().endsWith("}");
  }

  /** Where the query began to read a topic, next offset by partition. */
  public Map<Integer, Long> initialOffsets(String topic) {
    Optional<String> text = read(new Path(path, "sources/0/0"));
    if (text.isEmpty()) {
      return Map.of();
    }
    String[] lines = text.get().split("\n", 2);
    try {
      return lines.length < 2
          ? Map.of()
          : KafkaOffsets.parse(lines[1]).getOrDefault(topic, Map.of());
    } catch (IllegalArgumentException e) {
      return Map.of();
    }
  }

  /** When Spark last wrote to it; empty where it never has. */
  public Optional<Instant> lastWritten() {
    Optional<Instant> newest = Optional.empty();
    for (String log : new String[] {"offsets", "commits"}) {
      for (FileStatus file : list(log)) {
        Instant written = Instant.ofEpochMilli(file.getModificationTime());
        if (newest.isEmpty() || written.isAfter(newest.get())) {
          newest = Optional.of(written);
        }
      }
    }
    return newest;
  }

  /** Makes the folder if need be, and writes and deletes a file in it. */
  public void requireWritable() {
    Path probe = new Path(path, ".streampulse-probe-" + UUID.randomUUID());
    try {
      files.mkdirs(path);
      write(probe, "probe");
      files.delete(probe, false);
    } catch (IOException | RuntimeException e) {
      throw new CheckpointException(
          "spark.streampulse.consumer.checkpoint: %s is not writable (%s): name a folder this login may write to"
              .formatted(path, reason(e)),
          e);
    }
  }

  /** Copies all of it to a new folder beside it. */
  Path backUp(String suffix) throws IOException {
    Path backup = path.suffix("_backup_" + suffix);
    if (files.exists(backup)) {
      throw new IOException(backup + " is there already");
    }
    if (!FileUtil.copy(files, path, files, backup, false, files.getConf())) {
      throw new IOException(path + " could not be copied to " + backup);
    }
    return backup;
  }

  void writeOffsets(long id, OffsetFile offsets) throws IOException {
    Path target = new Path(path, "offsets/" + id);
    Path temporary = new Path(path, "offsets/." + id + "." + UUID.randomUUID() + ".tmp");
    write(temporary, offsets.text());
    if (!files.rename(temporary, target)) {
      files.delete(temporary, false);
      throw new IOException(target + " could not be written");
    }
  }

  void delete(String log, long id) throws IOException {
    Path file = new Path(path, log + "/" + id);
    if (!files.delete(file, false)) {
      throw new IOException(file + " could not be deleted");
    }
  }

  private void write(Path file, String text) throws IOException {
    try (OutputStream out = files.create(file, false)) {
      out.write(text.getBytes(StandardCharsets.UTF_8));
    }
  }

  private NavigableSet<Long> ids(String log) {
    NavigableSet<Long> ids = new TreeSet<>();
    for (FileStatus file : list(log)) {
      String name = file.getPath().getName();
      if (name.matches("\\d{1,18}")) {
        ids.add(Long.valueOf(name));
      }
    }
    return ids;
  }

  private FileStatus[] list(String log) {
    try {
      return files.listStatus(new Path(path, log));
    } catch (FileNotFoundException e) {
      return new FileStatus[0];
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  private Optional<String> read(Path file) {
    try (var in = files.open(file)) {
      return Optional.of(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (FileNotFoundException e) {
      return Optional.empty();
    } catch (IOException e) {
      if (e instanceof org.apache.hadoop.fs.ChecksumException) {
        return Optional.of(""); // torn: the file and its checksum were not written together
      }
      throw unreadable(e);
    }
  }

  private CheckpointException unreadable(IOException e) {
    return new CheckpointException("checkpoint %s can't be read: %s".formatted(path, reason(e)), e);
  }

  private static String reason(Exception e) {
    return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
  }
}
