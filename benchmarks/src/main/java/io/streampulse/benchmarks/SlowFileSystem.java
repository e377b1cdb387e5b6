package io.streampulse.benchmarks;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.DelegateToFileSystem;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/**
 * Files of this machine below {@code slow:///}, each operation after a delay, as a request to an
 * object store has it. It answers to Hadoop's {@code FileSystem} and, as the connectors of object
 * stores do, to {@code FileContext} through {@link DelegateToFileSystem}; so what one call of
 * either makes of operations is as with those. It has no permissions and no checksum files. Bytes
 * are read and written without a delay.
 *
 * <p>Operations are counted by name, for all instances of this JVM together.
 */
final class SlowFileSystem extends FileSystem {
  static final String SCHEME = "slow";

  private static final URI ROOT = URI.create(SCHEME + ":///");
  private static final String DELAY = "fs.slow.delay.ms";
  private static final Map<String, LongAdder> OPERATIONS = new ConcurrentHashMap<>();

  private final FileSystem files = new Files();
  private Duration delay = Duration.ZERO;

  /** Has file systems and file contexts that are opened from now on wait so long. */
  static void configure(Configuration hadoop, Duration delay) {
    hadoop.set("fs.slow.impl", SlowFileSystem.class.getName());
    hadoop.set("fs.AbstractFileSystem.slow.impl", Context.class.getName());
    // An instance that is kept would keep its delay.
    hadoop.setBoolean("fs.slow.impl.disable.cache", true);
    hadoop.setLong(DELAY, delay.toMillis());
  }

  /** How many operations there were so far, by Hadoop's name. */
  static Map<String, Long> operations() {
    Map<String, Long> counts = new TreeMap<>();
    OPERATIONS.forEach((name, count) -> counts.put(name, count.sum()));
    return counts;
  }

  @Override
  public void initialize(URI uri, Configuration hadoop) throws IOException {
    super.initialize(uri, hadoop);
    setConf(hadoop);
    files.initialize(ROOT, hadoop);
    delay = Duration.ofMillis(hadoop.getLong(DELAY, 0));
  }

  @Override
  public String getScheme() {
    return SCHEME;
  }

  @Override
  public URI getUri() {
    return ROOT;
  }

  @Override
  public FSDataInputStream open(Path path, int bufferSize) throws IOException {
    operation("open");
    return files.open(path, bufferSize);
  }

  @Override
  public FSDataOutputStream create(
      Path path,
      FsPermission permission,
      boolean overwrite,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress)
      throws IOException {
    operation("create");
    return files.create(path, overwrite, bufferSize, replication, blockSize, progress);
  }

  @Override
  public FSDataOutputStream append(Path path, int bufferSize, Progressable progress)
      throws IOException {
    operation("append");
    return files.append(path, bufferSize, progress);
  }

  @Override
  public boolean rename(Path from, Path to) throws IOException {
    operation("rename");
    return files.rename(from, to);
  }

  @Override
  public boolean delete(Path path, boolean recursive) throws IOException {
    operation("delete");
    return files.delete(path, recursive);
  }

  @Override
  public FileStatus[] listStatus(Path path) throws IOException {
    operation("listStatus");
    return files.listStatus(path);
  }

  @Override
  public boolean mkdirs(Path path, FsPermission permission) throws IOException {
    operation("mkdirs");
    return files.mkdirs(path);
  }

  @Override
  public FileStatus getFileStatus(Path path) throws IOException {
    operation("getFileStatus");
    return files.getFileStatus(path);
  }

  @Override
  public void setWorkingDirectory(Path folder) {
    files.setWorkingDirectory(folder);
  }

  @Override
  public Path getWorkingDirectory() {
    return files.getWorkingDirectory();
  }

  private void operation(String name) throws IOException {
    OPERATIONS.computeIfAbsent(name, n -> new LongAdder()).increment();
    try {
      Thread.sleep(delay.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("Interrupted before " + name);
    }
  }

  /** The local files, known by the other scheme. */
  private static final class Files extends RawLocalFileSystem {
    @Override
    public URI getUri() {
      return ROOT;
    }
  }

  /** What {@code FileContext} asks for; Hadoop makes it by its constructor. */
  static final class Context extends DelegateToFileSystem {
    Context(URI uri, Configuration hadoop) throws IOException, URISyntaxException {
      super(uri, new SlowFileSystem(), hadoop, SCHEME, false);
    }
  }
}
