package sluice.http.handlers;

import org.jspecify.annotations.Nullable;
import sluice.http.parse.ChunkedDecoder;
import sluice.loop.Connection;
import sluice.memory.View;

/// Puts the body of a request into a [StreamedBody] as it comes. Owned by the loop's thread.
///
/// ```
///  the ring has room: the client's turn ──full──▶ held: the handler's turn
///          ▲   no 16 KiB a second: 408                       │
///          └───────────────────half was read─────────────────┘
/// ```
public final class BodyFeed {
  /// Bytes that wait to be read, at most.
  static final int RING_BYTES = 64 << 10;

  private final Connection connection;
  private final long clientNanos;
  private final long rate;
  private final StreamedBody body;
  private final @Nullable ChunkedDecoder chunks;
  private long left;
  private long since;
  private boolean isOver;

  /// @param announced length of the body; negative when it comes in chunks
  /// @param clientNanos in this time, the client has to bring as many bytes as the rate asks for
  /// @param rate in bytes a second
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

  /// Returns true if nothing of the body is to come.
  boolean done() {
    return chunks == null ? left == 0 : chunks.done();
  }

  /// Bytes of the body that have not come; -1 when that is not known.
  public long left() {
    return chunks == null ? left : -1;
  }

  /// The client has to bring more, in its time.
  void begin() {
    since = 0;
    connection.deadline(clientNanos);
  }

  /// Takes what is there of the body, or as much as there is room for: then input is held.
  ///
  /// @return where the taking ended in `[from, to]`, or a negative status
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

  /// By the thread that reads.
  private void roomCame() {
    connection.executor().execute(this::resume);
  }

  private void resume() {
    if (!isOver && connection.inputHeld()) {
      begin();
      connection.resumeInput();
    }
  }

  /// The rest of the body goes to no handler: the request was answered.
  void over() {
    isOver = true;
    body.over();
    if (connection.inputHeld()) {
      connection.resumeInput();
    }
  }

  /// No more of the body comes.
  ///
  /// @param status why, for the client; 0 if that has gone
  void broken(int status) {
    isOver = true;
    if (status == 0) {
      body.gone();
    } else {
      body.broken(status);
    }
  }
}
