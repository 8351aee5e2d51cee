package sluice.http.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The access log: one file, in the combined format or another ([AccessLogTemplate]), written by
/// one thread.
///
/// Loops append to their [AccessLogRing] without waiting. Any thread may call the methods of this
/// class. The writer polls the rings every millisecond while there are records to write, and every
/// 10 ms otherwise, so that loops need not wake it.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | rings | any | snapshot | copy on write |
/// | reopen, closed | any | volatile | volatile |
/// | channel, failing, cutLine, dropping, told, latest, latestNanos | writer | plain | plain |
/// | lost, writtenRecords, writtenBytes | writer thread | volatile | atomic add |
///
/// Lifecycle: opened before the first loop starts; closed after the last has stopped, which writes
/// the remaining records.
public final class AccessLog implements AutoCloseable {
  public static final String COMBINED = AccessLogTemplate.COMBINED;

  private static final byte[] LINE_END = {'\n'};
  private static final int BUFFER_BYTES = 256 << 10;
  private static final long BUSY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

  /// The time without dropped records after which new drops are reported again.
  private static final Duration QUIET = Duration.ofSeconds(10);

  private final Path file;
  private final Consumer<String> complaints;
  private final AccessLogFormat format;
  private final List<AccessLogRing> rings = new CopyOnWriteArrayList<>();
  private final AtomicLong lost = new AtomicLong();
  private final AtomicLong writtenRecords = new AtomicLong();
  private final AtomicLong writtenBytes = new AtomicLong();
  private final Duration closeTimeout;
  private final Duration quiet;
  private final Thread writer;
  private @Nullable FileChannel channel;
  private volatile boolean reopen;
  private volatile boolean closed;
  private boolean failing;

  /// True if writing failed in the middle of a line, which must be terminated before the next line.
  private boolean cutLine;

  /// The state of the reports about dropped records: their number at the last report (`told`),
  /// their latest number and the time of its change, and true while the end of dropping is still to
  /// be reported (`dropping`).
  private long told;

  private long latest;
  private long latestNanos;
  private boolean dropping;

  /// Opens the file for appending, creating it if it does not exist.
  ///
  /// @param complaints invoked by the writer thread, once when writes start to fail or records
  ///   start to be dropped, and once when this has ended
  /// @throws IOException if the file cannot be opened
  public AccessLog(Path file, ZoneId zone, Consumer<String> complaints) throws IOException {
    this(file, zone, complaints, CLOSE_TIMEOUT, QUIET);
  }

  /// Opens the file with the given format.
  ///
  /// @param style `combined`, `json`, or the template of a line, see [AccessLogTemplate]
  public AccessLog(Path file, String style, ZoneId zone, Consumer<String> complaints)
      throws IOException {
    this(
        file,
        AccessLogTemplate.format(style, BUFFER_BYTES, zone),
        complaints,
        CLOSE_TIMEOUT,
        QUIET);
  }

  /// Opens the file with different timeouts for tests.
  ///
  /// @param closeTimeout the maximum time that [#close] waits
  /// @param quiet the time without dropped records after which dropping is considered to have ended
  public AccessLog(
      Path file, ZoneId zone, Consumer<String> complaints, Duration closeTimeout, Duration quiet)
      throws IOException {
    this(file, new AccessLogFormat(BUFFER_BYTES, zone), complaints, closeTimeout, quiet);
  }

  private AccessLog(
      Path file,
      AccessLogFormat format,
      Consumer<String> complaints,
      Duration closeTimeout,
      Duration quiet)
      throws IOException {
    this.quiet = quiet;
    this.file = file;
    this.complaints = complaints;
    this.closeTimeout = closeTimeout;
    this.format = format;
    try {
      this.channel = open(file);
    } catch (IOException e) {
      throw new IOException(
          "open of access log "
              + file
              + " failed: "
              + e
              + ". Why: its directory is missing, or this user may not write there. Fix: create the"
              + " directory, or name another file.",
          e);
    }
    this.writer = Thread.ofPlatform().name("sluice-access-log").daemon().unstarted(this::run);
    writer.start();
  }

  /// Checks that a format is valid.
  ///
  /// @throws IllegalArgumentException if it is not, see [AccessLogTemplate]
  public static void checkFormat(String style) {
    AccessLogFormat _ = AccessLogTemplate.format(style, 1, ZoneId.of("UTC"));
  }

  private static FileChannel open(Path file) throws IOException {
    return FileChannel.open(
        file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
  }

  /// Creates a ring for another loop.
  ///
  /// @param capacity the number of records, which must be a power of two
  public AccessLogRing ring(int capacity) {
    AccessLogRing ring = new AccessLogRing(capacity);
    rings.add(ring);
    return ring;
  }

  /// Closes the file and opens its path again after the file was renamed by log rotation. This
  /// method returns immediately. Records logged before are written to the old file.
  public void reopen() {
    reopen = true;
    LockSupport.unpark(writer);
  }

  /// Returns the number of records that were dropped because a ring was full, or lost because a
  /// write failed.
  public long dropped() {
    return lost.get() + ringDrops();
  }

  private long ringDrops() {
    long sum = 0;
    for (AccessLogRing ring : rings) {
      sum += ring.dropped();
    }
    return sum;
  }

  private void run() {
    while (true) {
      boolean last = closed;
      boolean renew = reopen;
      boolean busy = drain();
      watchDrops(System.nanoTime());
      if (renew) {
        reopen = false;
        renew();
      }
      if (last) {
        break;
      }
      LockSupport.parkNanos(busy ? BUSY_NANOS : IDLE_NANOS);
      boolean _ = Thread.interrupted(); // an outside interrupt would end each later wait at once
    }
    closeChannel();
  }

  private boolean drain() {
    boolean busy = false;
    for (AccessLogRing ring : rings) {
      int waiting = ring.waiting();
      busy |= waiting > 0;
      while (waiting > 0) {
        int lines = 0;
        for (; waiting > 0 && format.hasRoom(); waiting--, lines++) {
          ring.format(format);
          ring.advance();
        }
        write(lines);
      }
    }
    return busy;
  }

  private void write(int lines) {
    ByteBuffer bytes = format.lines();
    try {
      while (bytes.hasRemaining()) {
        append(bytes);
      }
      if (failing) {
        failing = false;
        complaints.accept("access log " + file + " is written again");
      }
    } catch (IOException e) {
      int written = bytes.position();
      cutLine = written == 0 ? cutLine : bytes.get(written - 1) != LINE_END[0];
      complainOnce(e);
    } finally {
      count(bytes, lines);
      format.clear();
    }
  }

  /// Appends bytes to the file. If the thread is interrupted during a write, the channel is closed
  /// even if some bytes were written. The buffer's position then indicates their number, and the
  /// file is reopened.
  private void append(ByteBuffer bytes) throws IOException {
    FileChannel to = channel;
    if (to == null) {
      to = open(file);
      channel = to;
    }
    try {
      if (cutLine) {
        ByteBuffer end = ByteBuffer.wrap(LINE_END);
        try {
          to.write(end);
        } finally {
          cutLine = end.hasRemaining();
        }
      }
      to.write(bytes);
    } catch (ClosedByInterruptException e) {
      boolean _ = Thread.interrupted();
      channel = null;
    }
  }

  /// Counts the lines that were written and those that were lost.
  private void count(ByteBuffer bytes, int lines) {
    int whole = bytes.hasRemaining() ? 0 : lines;
    for (int i = 0; bytes.hasRemaining() && i < bytes.position(); i++) {
      whole += bytes.get(i) == LINE_END[0] ? 1 : 0;
    }
    writtenRecords.addAndGet(whole);
    writtenBytes.addAndGet(bytes.position());
    lost.addAndGet(lines - whole);
  }

  /// Reports once when rings overflow, and once when they have not overflowed for some time.
  private void watchDrops(long nowNanos) {
    long now = ringDrops();
    if (now != latest) {
      latest = now;
      latestNanos = nowNanos;
      if (!dropping) {
        dropping = true;
        complaints.accept(
            "access log "
                + file
                + ": records are dropped, "
                + (now - told)
                + " so far. Why: requests come faster than its disk takes lines. Fix: a faster disk"
                + " for the log; `sluice stat` counts the records as access_log/dropped_records.");
      }
    } else if (dropping && nowNanos - latestNanos >= quiet.toNanos()) {
      dropping = false;
      complaints.accept(
          "access log " + file + " keeps up again; " + (now - told) + " records were dropped");
      told = now;
    }
  }

  /// Returns the number of lines that have been written since the log was opened.
  public long writtenRecords() {
    return writtenRecords.get();
  }

  /// Returns the number of bytes that have been written since the log was opened.
  public long writtenBytes() {
    return writtenBytes.get();
  }

  private void renew() {
    closeChannel();
    try {
      FileChannel opened = open(file);
      channel = opened;
      cutLine &= opened.size() > 0;
    } catch (IOException e) {
      complainOnce(e);
    }
  }

  private void complainOnce(IOException problem) {
    if (!failing) {
      failing = true;
      complaints.accept(
          "access log "
              + file
              + " cannot be written: "
              + problem
              + ". Records are dropped until it can, and counted as access_log/dropped_records."
              + " Fix: make room on its disk, or let this user write it.");
    }
  }

  private void closeChannel() {
    FileChannel old = channel;
    channel = null;
    try {
      if (old != null) {
        old.close();
      }
    } catch (IOException e) {
      complainOnce(e);
    }
  }

  /// Writes the remaining records and closes the file. Waits for at most 5 seconds if the disk is
  /// slow. Idempotent.
  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(writer);
    try {
      boolean _ = writer.join(closeTimeout);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
