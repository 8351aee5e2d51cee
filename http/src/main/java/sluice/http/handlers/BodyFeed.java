package sluice.http.handlers;

import org.jspecify.annotations.Nullable;
import sluice.http.parse.ChunkedDecoder;
import sluice.loop.Connection;
import sluice.memory.View;

/// Copies the body of a request into a [StreamedBody] as it arrives. Owned by the loop's thread.
///
/// ```
///  the ring has room: the client's turn ──full──▶ held: the handler's turn
///          ▲   less than 16 KiB a second: 408                │
///          └───────────────────half was read─────────────────┘
/// ```
public final class BodyFeed {
  /// The maximum number of bytes that are buffered until they are read.
  static final int RING_BYTES = 64 << 10;

  private final Connection connection;
  private final long clientNanos;
  private final long rate;
  private final StreamedBody body;
  private final @Nullable ChunkedDecoder chunks;
  private long left;
  private long since;
  private boolean isOver;

  /// @param announced the length of the body, or a negative number if it is chunked
  /// @param clientNanos the interval in which the client must send as many bytes as the rate
  ///   requires
  /// @param rate the rate in bytes per second
  BodyFeed(Connection connection, long announced, long clientNanos, int rate) {
    this.connection = connection;
    this.clientNanos = clientNanos;
    this.rate = rate;
    chunks = announced < 0 ? new ChunkedDecoder(Long.MAX_VALUE) : null;
    left = announced;
    body = new StreamedBody(ringBytes(announced), this::roomCame);
  }

  static int ringBytes(long announced) {
    return announced < 0 ? RING_BYTES : (int) Math.min(announced, RING_BYTES);
  }

  StreamedBody body() {
    return body;
  }

  /// Returns true if the body has arrived completely.
  boolean done() {
    return chunks == null ? left == 0 : chunks.done();
  }

  /// Returns the number of bytes of the body that have not arrived yet, or -1 if it is unknown.
  public long left() {
    return chunks == null ? left : -1;
  }

  /// Starts an interval in which the client must send more bytes.
  void begin() {
    since = 0;
    connection.deadline(clientNanos);
  }

  /// Consumes the available part of the body, or as much as fits into the buffer, in which case
  /// input is held.
  ///
  /// @return the end of the consumed part in `[from, to]`, or a negative status
  int take(View view, int from, int to) {
    int at = from;
    while (at < to && !done()) {
      int room = body.room();
      if (room == 0) {
        connection.holdInput();
        connection.deadline(0);
        return at;
      }
      int next = step(view, at, at + Math.min(room, to - at));
      if (next < 0) {
        return next;
      }
      at = next;
    }
    if (done()) {
      body.whole();
      return at;
    }
    since += at - from;
    if (since * 1_000_000_000.0 >= (double) rate * clientNanos) {
      begin();
    }
    return at;
  }

  private int step(View view, int from, int to) {
    ChunkedDecoder decoder = chunks;
    if (decoder == null) {
      int count = (int) Math.min(left, to - from);
      body.put(view, from, count);
      left -= count;
      return from + count;
    }
    int next = decoder.step(view, from, to);
    if (next >= 0) {
      body.put(view, decoder.dataFrom(), decoder.dataTo() - decoder.dataFrom());
    }
    return next;
  }

  /// Called by the reading thread when space has become available.
  private void roomCame() {
    connection.executor().execute(this::resume);
  }

  private void resume() {
    if (!isOver && connection.inputHeld()) {
      begin();
      connection.resumeInput();
    }
  }

  /// Ends the feed because the request was answered. The rest of the body is not passed to any
  /// handler.
  void over() {
    isOver = true;
    body.over();
    if (connection.inputHeld()) {
      connection.resumeInput();
    }
  }

  /// Ends the feed because the rest of the body will not arrive.
  ///
  /// @param status the status that is sent to the client, or 0 if the client has disconnected
  void broken(int status) {
    isOver = true;
    if (status == 0) {
      body.gone();
    } else {
      body.broken(status);
    }
  }
}
