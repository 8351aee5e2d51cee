package sluice.http.log;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import sluice.memory.View;

/// A ring buffer that transfers fixed-size binary records of one loop's requests to the
/// [AccessLog].
///
/// The loop's thread appends records and the log's writer thread removes them, and neither ever
/// waits. If the ring is full, the record is dropped and counted. If a reply is still being sent,
/// its record is stored in an [AccessLogRecord] and appended later.
///
/// ```
/// record  0 time ms | 8 address | 24 body bytes | 32 status | 34, 36, 38 lengths
///         8 bytes   | 16        | 8             | 2         | 2 each, top bit: cut
///         40 text | 996 trace
///         956     | 26
/// text    line 512 | referrer 222 | agent 222
/// trace   numbers of a valid `traceparent`, else 0 (TraceParent)
/// ```
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | tail, dropped | loop | acquire by the writer thread, plain by the loop | release |
/// | head | writer thread | acquire by the loop, plain by the writer thread | release |
/// | records | loop, before tail | after tail | plain |
///
/// Limits: 2 to 65 536 records of 1 KiB; text that is longer than its field is truncated.
public final class AccessLogRing {
  static final int RECORD_BYTES = 1024;
  static final int MOST_LINE_BYTES = 512;
  static final int MOST_FIELD_BYTES = 222;

  private static final int CUT = 0x8000;
  private static final int LINE = 40;
  private static final int REFERRER = LINE + MOST_LINE_BYTES;
  private static final int AGENT = REFERRER + MOST_FIELD_BYTES;
  private static final int TRACE = AGENT + MOST_FIELD_BYTES;

  private static final VarHandle HEAD;
  private static final VarHandle TAIL;
  private static final VarHandle DROPPED;
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());
  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.nativeOrder());

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      HEAD = lookup.findVarHandle(AccessLogRing.class, "head", long.class);
      TAIL = lookup.findVarHandle(AccessLogRing.class, "tail", long.class);
      DROPPED = lookup.findVarHandle(AccessLogRing.class, "dropped", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final byte[] records;
  private final int mask;
  private long head;
  private long tail;
  private long dropped;

  /// The value of `head` that the loop has read most recently.
  private long knownHead;

  /// The array into which the current record is written, and its offset in that array.
  private byte[] into;

  private int open;

  /// @param capacity the number of records, which must be a power of two from 2 to 65 536
  AccessLogRing(int capacity) {
    if (capacity < 2 || capacity > 65_536 || Integer.bitCount(capacity) != 1) {
      throw new IllegalArgumentException(
          "capacity must be a power of two, 2 to 65536: " + capacity);
    }
    records = new byte[capacity * RECORD_BYTES];
    into = records;
    mask = capacity - 1;
  }

  /// Begins a record. Loop only.
  ///
  /// @param addressHigh first half of the client's IPv6 address, big-endian
  /// @param addressLow second half; IPv4 as `::ffff:a.b.c.d`; both 0 if there is none
  /// @param bodyBytes bytes of the reply's body that were sent
  /// @return false if the ring is full: the record is dropped, and no further method may be called
  ///   for it
  public boolean begin(
      long epochMillis, long addressHigh, long addressLow, int status, long bodyBytes) {
    int at = next();
    if (at < 0) {
      return false;
    }
    start(records, at, epochMillis, addressHigh, addressLow, status);
    LONG.set(records, at + 24, bodyBytes);
    return true;
  }

  /// Starts a record that will be appended by [#append] instead of [#commit]. Called on the loop's
  /// thread.
  public void begin(
      AccessLogRecord record, long epochMillis, long addressHigh, long addressLow, int status) {
    start(record.bytes, 0, epochMillis, addressHigh, addressLow, status);
  }

  /// Appends a record that was started and filled in before, or drops and counts it. Called on the
  /// loop's thread.
  ///
  /// @param bodyBytes as for [#begin(long, long, long, int, long)]
  public void append(AccessLogRecord record, long bodyBytes) {
    int at = next();
    if (at >= 0) {
      System.arraycopy(record.bytes, 0, records, at, RECORD_BYTES);
      LONG.set(records, at + 24, bodyBytes);
      commit();
    }
  }

  /// Returns the offset of the next record, or a negative number if the ring is full.
  private int next() {
    if (tail - knownHead > mask) {
      knownHead = (long) HEAD.getAcquire(this);
      if (tail - knownHead > mask) {
        DROPPED.setRelease(this, dropped + 1);
        return -1;
      }
    }
    return (int) (tail & mask) * RECORD_BYTES;
  }

  private void start(
      byte[] target, int at, long epochMillis, long addressHigh, long addressLow, int status) {
    LONG.set(target, at, epochMillis);
    LONG.set(target, at + 8, addressHigh);
    LONG.set(target, at + 16, addressLow);
    SHORT.set(target, at + 32, (short) status);
    SHORT.set(target, at + 34, (short) 0);
    SHORT.set(target, at + 36, (short) 0);
    SHORT.set(target, at + 38, (short) 0);
    TraceParent.clear(target, at + TRACE);
    into = target;
    open = at;
  }

  /// Sets the request line, as received.
  public void line(View view, int from, int to) {
    int count = length(34, to - from, MOST_LINE_BYTES);
    view.copyTo(from, into, open + LINE, count);
  }

  /// Sets the value of `Referer`, as received.
  public void referrer(View view, int from, int to) {
    int count = length(36, to - from, MOST_FIELD_BYTES);
    view.copyTo(from, into, open + REFERRER, count);
  }

  /// Sets the value of `User-Agent`, as received.
  public void agent(View view, int from, int to) {
    int count = length(38, to - from, MOST_FIELD_BYTES);
    view.copyTo(from, into, open + AGENT, count);
  }

  /// Sets the value of `traceparent` as received. It is only stored if it is valid.
  public void trace(View view, int from, int to) {
    TraceParent.read(view, from, to, into, open + TRACE);
  }

  /// Publishes the record to the writer thread. Called on the loop's thread.
  public void commit() {
    TAIL.setRelease(this, tail + 1);
  }

  private int length(int field, int count, int most) {
    int kept = Math.min(count, most);
    SHORT.set(into, open + field, (short) (kept | (count > most ? CUT : 0)));
    return kept;
  }

  /// Returns the number of records dropped so far. Any thread may call.
  long dropped() {
    return (long) DROPPED.getAcquire(this);
  }

  /// Returns the number of records in the ring. Called on the writer thread.
  int waiting() {
    return (int) ((long) TAIL.getAcquire(this) - head);
  }

  /// Formats the oldest record, which must exist. Called on the writer thread.
  void format(AccessLogFormat format) {
    int at = (int) (head & mask) * RECORD_BYTES;
    format.begin((long) LONG.get(records, at + 8), (long) LONG.get(records, at + 16));
    format.time((long) LONG.get(records, at));
    quoted(format, at + LINE, at + 34);
    format.numbers((short) SHORT.get(records, at + 32), (long) LONG.get(records, at + 24));
    quoted(format, at + REFERRER, at + 36);
    quoted(format, at + AGENT, at + 38);
    format.trace(records, at + TRACE);
    format.end();
  }

  private void quoted(AccessLogFormat format, int text, int field) {
    int length = (short) SHORT.get(records, field) & 0xffff;
    format.quoted(records, text, length & ~CUT, (length & CUT) != 0);
  }

  /// Frees the oldest record. Called on the writer thread.
  void advance() {
    HEAD.setRelease(this, head + 1);
  }
}
