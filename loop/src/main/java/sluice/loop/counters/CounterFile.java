package sluice.loop.counters;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/// Reads the counters files of other processes. Stateless; any thread may call.
///
/// A file is untrusted input. Every length and count in it is checked against the format and the
/// size of the file, and control characters are removed from text. The file is copied with
/// `read(2)` instead of being mapped, so that a concurrent truncation causes an error instead of
/// SIGBUS. The kernel copies aligned words as a whole.
public final class CounterFile {
  private static final String SUFFIX = ".counters";

  /// The tolerance between the clocks of the process table and of files, which differ by a few
  /// ticks.
  private static final long START_SLACK_MILLIS = 2_000;

  private CounterFile() {}

  /// Returns the directory of counters files. This is `$SLUICE_RUN_DIR` or
  /// `$XDG_RUNTIME_DIR/sluice` if the variable is set, and otherwise `sluice-USER` in the directory
  /// for temporary files.
  public static Path defaultDirectory() {
    String own = System.getenv("SLUICE_RUN_DIR");
    if (own != null && !own.isEmpty()) {
      return Path.of(own);
    }
    String runtime = System.getenv("XDG_RUNTIME_DIR");
    if (runtime != null && !runtime.isEmpty()) {
      return Path.of(runtime, "sluice");
    }
    String user = System.getProperty("user.name", "unknown").replace('/', '_');
    return Path.of(System.getProperty("java.io.tmpdir", "."), "sluice-" + user);
  }

  /// Returns the counters file of the process with the given id.
  public static Path fileOf(Path directory, long pid) {
    return directory.resolve(pid + SUFFIX);
  }

  /// Returns the ids of the live processes that have a counters file in the given directory, in
  /// ascending order.
  public static List<Long> processes(Path directory) throws IOException {
    List<Long> pids = new ArrayList<>();
    for (long pid : pidsOfFiles(directory)) {
      if (alive(fileOf(directory, pid), pid)) {
        pids.add(pid);
      }
    }
    pids.sort(null);
    return pids;
  }

  /// Reads the files of all live processes. A damaged file does not affect the others.
  ///
  /// @param problems receives a message for each file that cannot be read
  public static List<CounterSnapshot> readAll(Path directory, Consumer<String> problems)
      throws IOException {
    List<CounterSnapshot> snapshots = new ArrayList<>();
    for (long pid : processes(directory)) {
      try {
        snapshots.add(read(fileOf(directory, pid)));
      } catch (IOException e) {
        problems.accept(String.valueOf(e.getMessage()));
      }
    }
    return snapshots;
  }

  /// Deletes the files of processes that have terminated.
  ///
  /// @return the number of files deleted
  public static int deleteStale(Path directory) throws IOException {
    int deleted = 0;
    for (long pid : pidsOfFiles(directory)) {
      Path file = fileOf(directory, pid);
      if (!alive(file, pid) && Files.deleteIfExists(file)) {
        deleted++;
      }
    }
    return deleted;
  }

  private static List<Long> pidsOfFiles(Path directory) throws IOException {
    List<Long> pids = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*" + SUFFIX)) {
      for (Path file : files) {
        String name = String.valueOf(file.getFileName());
        String number = name.substring(0, name.length() - SUFFIX.length());
        if (number.matches("[1-9][0-9]{0,9}")) {
          pids.add(Long.parseLong(number));
        }
      }
    } catch (NoSuchFileException | NotDirectoryException e) {
      return List.of();
    }
    return pids;
  }

  /// Returns true if the process that wrote a file is alive. A process with the same id that
  /// started after the file was written is a different process.
  private static boolean alive(Path file, long pid) throws IOException {
    Optional<ProcessHandle> process = ProcessHandle.of(pid);
    if (process.isEmpty() || !process.get().isAlive()) {
      return false;
    }
    Optional<Instant> started = process.get().info().startInstant();
    if (started.isEmpty()) {
      return true;
    }
    try {
      long written = Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS).toMillis();
      return started.get().toEpochMilli() <= written + START_SLACK_MILLIS;
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  /// Reads a file.
  ///
  /// @throws NoSuchFileException if the file does not exist
  /// @throws IOException if the file cannot be read, is not a counters file, or is damaged; the
  ///   message states the reason
  public static CounterSnapshot read(Path file) throws IOException {
    if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)
        && !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      throw damaged(file.toString(), "not a regular file");
    }
    try (SeekableByteChannel channel =
        Files.newByteChannel(file, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS))) {
      long size = channel.size();
      if (size < CounterLayout.HEADER_BYTES
          || size > CounterLayout.fileBytes(CounterLayout.CAPACITY_MAX)) {
        throw damaged(file.toString(), "a size of " + size + " bytes is not possible");
      }
      ByteBuffer bytes = ByteBuffer.allocate((int) size);
      while (bytes.hasRemaining() && channel.read(bytes) > 0) {
        // Read until the buffer is full. Bytes lost to a truncation remain zero and fail the
        // checks.
      }
      return parse(bytes.array(), file.toString());
    }
  }

  /// Parses the bytes of a file.
  ///
  /// @param name the name for error messages
  static CounterSnapshot parse(byte[] bytes, String name) throws IOException {
    if (bytes.length < CounterLayout.HEADER_BYTES) {
      throw damaged(name, "shorter than its header");
    }
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    long magic = in.getLong(CounterLayout.MAGIC_OFFSET);
    if (magic != CounterLayout.MAGIC) {
      throw damaged(name, magic == 0 ? "its process is still opening it" : "wrong magic number");
    }
    int version = in.getInt(CounterLayout.VERSION_OFFSET);
    if (version != CounterLayout.VERSION) {
      throw damaged(name, "version " + version + ", this program reads " + CounterLayout.VERSION);
    }
    int capacity = in.getInt(CounterLayout.CAPACITY_OFFSET);
    if (capacity < 1
        || capacity > CounterLayout.CAPACITY_MAX
        || bytes.length != CounterLayout.fileBytes(capacity)) {
      throw damaged(name, "capacity " + capacity + " does not fit its size");
    }
    int count = in.getInt(CounterLayout.COUNT_OFFSET);
    if (count < 0 || count > capacity) {
      throw damaged(name, count + " counters where there is room for " + capacity);
    }
    List<CounterValue> values = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      values.add(value(in, capacity, i, name));
    }
    int textLength = in.getInt(CounterLayout.DESCRIPTION_LENGTH_OFFSET);
    return new CounterSnapshot(
        in.getLong(CounterLayout.PID_OFFSET),
        in.getLong(CounterLayout.OPENED_OFFSET),
        text(
            in,
            CounterLayout.DESCRIPTION_OFFSET,
            textLength,
            CounterLayout.DESCRIPTION_MAX_BYTES,
            name),
        values);
  }

  private static CounterValue value(ByteBuffer in, int capacity, int index, String name)
      throws IOException {
    int slot = CounterLayout.labelOffset(index);
    int length = in.getInt(slot + CounterLayout.LABEL_LENGTH_OFFSET);
    int kind = in.getInt(slot + CounterLayout.LABEL_KIND_OFFSET);
    if (kind != CounterLayout.KIND_COUNTER && kind != CounterLayout.KIND_GAUGE) {
      throw damaged(name, "counter " + index + " has unknown kind " + kind);
    }
    String label =
        text(
            in,
            slot + CounterLayout.LABEL_TEXT_OFFSET,
            length,
            CounterLayout.LABEL_MAX_BYTES,
            name);
    return new CounterValue(
        label,
        kind == CounterLayout.KIND_GAUGE,
        in.getLong(CounterLayout.valueOffset(capacity, index)));
  }

  private static String text(ByteBuffer in, int offset, int length, int maxBytes, String name)
      throws IOException {
    if (length < 0 || length > maxBytes) {
      throw damaged(name, "a text of " + length + " bytes where " + maxBytes + " are possible");
    }
    byte[] copy = new byte[length];
    in.get(offset, copy);
    String text = new String(copy, StandardCharsets.UTF_8);
    // The text is going to be printed on a terminal.
    return text.replaceAll("\\p{Cntrl}", "?");
  }

  private static IOException damaged(String name, String what) {
    return new IOException("counters file " + name + ": " + what);
  }
}
