package sluice.loop.counters;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The counters of this process, stored in a memory-mapped file that `sluice stat` reads without
/// involving the process. Any thread may create counters and take snapshots. Each [Counter] then
/// belongs to one thread.
///
/// The file is `PID.counters` in [CounterFile#defaultDirectory]. It has mode 0600 in a directory of
/// mode 0700, and is deleted by [#close]. Files of processes that terminated without closing them
/// are deleted by the next process that opens one. If no file can be created (because the directory
/// is read-only or belongs to another user), the counters are stored in private memory, and
/// [#whyNoFile] returns the reason. There is no other difference.
///
/// | field             | writer           | read mode  | write mode |
/// |-------------------|------------------|------------|------------|
/// | `labels`, `count` | holder of `this` | under lock | under lock |
/// | `closed`          | holder of `this` | under lock | under lock |
///
/// The memory is unmapped when neither this object nor any of its counters is reachable, so a late
/// increment after `close` is harmless.
public final class Counters implements AutoCloseable {
  /// The default capacity, as a number of counters.
  public static final int DEFAULT_CAPACITY = 1024;

  /// The capacity for the counters of a loop and its protocol. HTTP has about sixty.
  private static final int LOOP_CAPACITY = 96;

  private final MemorySegment segment;
  private final int capacity;
  private final @Nullable Path file;
  private final String whyNoFile;
  private final Set<String> labels = new HashSet<>();
  private int count;
  private boolean closed;

  private Counters(
      MemorySegment segment, int capacity, @Nullable Path file, String whyNoFile, long pid) {
    this.segment = segment;
    this.capacity = capacity;
    this.file = file;
    this.whyNoFile = whyNoFile;
    CounterLayout.INT.set(segment, CounterLayout.VERSION_OFFSET, CounterLayout.VERSION);
    CounterLayout.INT.set(segment, CounterLayout.CAPACITY_OFFSET, capacity);
    CounterLayout.LONG.set(segment, CounterLayout.PID_OFFSET, pid);
    CounterLayout.LONG.set(segment, CounterLayout.OPENED_OFFSET, System.currentTimeMillis());
    CounterLayout.LONG.setRelease(segment, CounterLayout.MAGIC_OFFSET, CounterLayout.MAGIC);
  }

  /// Opens this process's counters file in the default directory.
  ///
  /// @param loops the number of event loops of the process, 0 or more; the file has enough capacity
  ///   for their counters
  public static Counters open(int loops) {
    long capacity = DEFAULT_CAPACITY + (long) loops * LOOP_CAPACITY;
    return open(
        CounterFile.defaultDirectory(), (int) Math.min(capacity, CounterLayout.CAPACITY_MAX));
  }

  /// Opens this process's counters file. An existing file is replaced, because a process has only
  /// one `Counters` object.
  ///
  /// @param capacity the maximum number of counters, 1 to 65 536
  public static Counters open(Path directory, int capacity) {
    if (capacity < 1 || capacity > CounterLayout.CAPACITY_MAX) {
      throw new IllegalArgumentException(
          "capacity must be 1 to " + CounterLayout.CAPACITY_MAX + ": " + capacity);
    }
    long pid = ProcessHandle.current().pid();
    Path file = CounterFile.fileOf(directory, pid);
    try {
      MemorySegment mapped = create(directory, file, capacity);
      CounterFile.deleteStale(directory);
      return new Counters(mapped, capacity, file, "", pid);
    } catch (IOException | UnsupportedOperationException e) {
      return inMemory(capacity, pid, "no counters file in " + directory + ": " + e);
    }
  }

  /// Returns counters that are not visible to other processes, for tests and embedders.
  public static Counters inMemory() {
    return inMemory(DEFAULT_CAPACITY, ProcessHandle.current().pid(), "opened without a file");
  }

  private static Counters inMemory(int capacity, long pid, String why) {
    MemorySegment memory =
        Arena.ofAuto().allocate(CounterLayout.fileBytes(capacity), Long.BYTES * 16L);
    return new Counters(memory, capacity, null, why, pid);
  }

  /// Creates the file. Retries after an interrupt, because an interrupt closes the channel; Sluice
  /// itself does not interrupt this thread.
  private static MemorySegment create(Path directory, Path file, int capacity) throws IOException {
    while (true) {
      try {
        return createOnce(directory, file, capacity);
      } catch (ClosedByInterruptException e) {
        boolean _ = Thread.interrupted();
      }
    }
  }

  private static MemorySegment createOnce(Path directory, Path file, int capacity)
      throws IOException {
    boolean posix = directory.getFileSystem().supportedFileAttributeViews().contains("unix");
    if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
      Files.createDirectories(directory, mode(posix, "rwx------"));
    }
    Files.deleteIfExists(file);
    Set<StandardOpenOption> options =
        Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
    try (FileChannel channel = FileChannel.open(file, options, mode(posix, "rw-------"))) {
      if (posix) {
        requireOwnDirectory(directory, file);
      }
      return channel.map(
          FileChannel.MapMode.READ_WRITE, 0, CounterLayout.fileBytes(capacity), Arena.ofAuto());
    } catch (IOException e) {
      Files.deleteIfExists(file);
      throw e;
    }
  }

  /// Checks that only this user can access the directory. In a directory that another user owns or
  /// may write to, the file could be replaced at any time.
  private static void requireOwnDirectory(Path directory, Path ownFile) throws IOException {
    Object owner = Files.getAttribute(directory, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    if (!owner.equals(Files.getAttribute(ownFile, "unix:uid", LinkOption.NOFOLLOW_LINKS))) {
      throw new IOException("the directory belongs to user " + owner);
    }
    Set<PosixFilePermission> mode =
        Files.getPosixFilePermissions(directory, LinkOption.NOFOLLOW_LINKS);
    if (mode.contains(PosixFilePermission.GROUP_WRITE)
        || mode.contains(PosixFilePermission.OTHERS_WRITE)) {
      throw new IOException("others may write the directory: chmod 700 it");
    }
  }

  private static FileAttribute<?>[] mode(boolean posix, String mode) {
    return posix
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode))
        }
        : new FileAttribute<?>[0];
  }

  /// Creates a count that only increases, such as the number of requests answered.
  ///
  /// @param label `source/name`, at most 120 bytes of UTF-8, for example `loop0/requests`
  /// @throws IllegalArgumentException if the label is already in use or is too long
  /// @throws IllegalStateException if the table is full
  public Counter counter(String label) {
    return create(label, CounterLayout.KIND_COUNTER);
  }

  /// Creates a level that may increase and decrease, such as the number of open connections. The
  /// rules of [#counter] apply.
  public Counter gauge(String label) {
    return create(label, CounterLayout.KIND_GAUGE);
  }

  private synchronized Counter create(String label, int kind) {
    byte[] text = label.getBytes(StandardCharsets.UTF_8);
    if (text.length == 0 || text.length > CounterLayout.LABEL_MAX_BYTES) {
      throw new IllegalArgumentException(
          "a label has 1 to " + CounterLayout.LABEL_MAX_BYTES + " bytes: " + label);
    }
    if (count == capacity) {
      throw new IllegalStateException("all " + capacity + " counters are taken: " + label);
    }
    if (!labels.add(label)) {
      throw new IllegalArgumentException("a counter of this label exists: " + label);
    }
    int index = count++;
    long slot = CounterLayout.labelOffset(index);
    CounterLayout.INT.set(segment, slot + CounterLayout.LABEL_LENGTH_OFFSET, text.length);
    CounterLayout.INT.set(segment, slot + CounterLayout.LABEL_KIND_OFFSET, kind);
    MemorySegment.copy(
        text,
        0,
        segment,
        ValueLayout.JAVA_BYTE,
        slot + CounterLayout.LABEL_TEXT_OFFSET,
        text.length);
    CounterLayout.INT.setRelease(segment, CounterLayout.COUNT_OFFSET, count);
    return new Counter(segment, CounterLayout.valueOffset(capacity, index));
  }

  /// Sets the line shown by `sluice stat` for this process, such as what it serves and on which
  /// address. It is truncated after 472 bytes.
  public synchronized void describe(String description) {
    byte[] text = description.getBytes(StandardCharsets.UTF_8);
    int length = Math.min(text.length, CounterLayout.DESCRIPTION_MAX_BYTES);
    MemorySegment.copy(
        text, 0, segment, ValueLayout.JAVA_BYTE, CounterLayout.DESCRIPTION_OFFSET, length);
    CounterLayout.INT.setRelease(segment, CounterLayout.DESCRIPTION_LENGTH_OFFSET, length);
  }

  /// Returns the current values of the counters. Any thread may call.
  public CounterSnapshot snapshot() {
    byte[] copy = segment.toArray(ValueLayout.JAVA_BYTE);
    try {
      return CounterFile.parse(copy, String.valueOf(file));
    } catch (IOException e) {
      throw new IllegalStateException("another process has damaged the counters file", e);
    }
  }

  /// Returns the file that contains the counters, or null if there is none, see [#whyNoFile].
  public @Nullable Path file() {
    return file;
  }

  /// Returns the reason why there is no file, or an empty string if there is one.
  public String whyNoFile() {
    return whyNoFile;
  }

  /// Removes the file. Idempotent. Counters may still be written but are no longer read.
  @Override
  public synchronized void close() {
    if (closed || file == null) {
      return;
    }
    closed = true;
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      // The file remains until the next process that opens counters in this directory deletes it.
      return;
    }
  }
}
