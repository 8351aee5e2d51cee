package sluice.http.parse;

import sluice.http.text.AsciiSet;
import sluice.http.text.Digits;
import sluice.memory.View;

/// An incremental decoder of chunked bodies, RFC 9112 section 7.1.
///
/// Owned by one connection's loop; [#reset] prepares it for the next body. Lines must end with
/// CRLF. Extensions and trailer fields are checked and discarded. Their length is limited, and so
/// is the ratio of framing to data, because many tiny chunks with long extensions indicate an
/// attack.
///
/// ```
/// while (at < to && !decoder.done()) {
///   at = decoder.step(view, at, to);
///   if (at < 0) refuse(-at);
///   consume(decoder.dataFrom(), decoder.dataTo());
/// }
/// ```
public final class ChunkedDecoder {
  public static final int BAD_REQUEST = -400;
  public static final int CONTENT_TOO_LARGE = -413;
  public static final int TRAILER_TOO_LARGE = -431;

  private static final int SIZE_DIGITS = 15;
  private static final int EXTENSION_BYTES = 256;
  private static final int TRAILER_BYTES = 8 << 10;

  /// The framing that is allowed in addition to 16 bytes per chunk and the number of data bytes.
  private static final int EXCESS_BYTES = 16 << 10;

  private enum State {
    SIZE_START,
    SIZE,
    EXTENSION,
    SIZE_LF,
    DATA,
    DATA_CR,
    DATA_LF,
    TRAILER_START,
    TRAILER_NAME,
    TRAILER_VALUE,
    TRAILER_LF,
    END_LF,
    DONE
  }

  private final long maxBodyBytes;
  private final ChunkExtension extension = new ChunkExtension();

  private State state = State.SIZE_START;
  private long size;
  private int digits;
  private int extensionBytes;
  private int trailerBytes;
  private long excess;
  private long bodyBytes;
  private int dataFrom;
  private int dataTo;

  /// @param maxBodyBytes the maximum size of a body in bytes; a chunk that would exceed it results
  ///   in 413 before its data is read
  public ChunkedDecoder(long maxBodyBytes) {
    this.maxBodyBytes = maxBodyBytes;
  }

  public void reset() {
    state = State.SIZE_START;
    size = 0;
    digits = 0;
    extensionBytes = 0;
    trailerBytes = 0;
    excess = 0;
    bodyBytes = 0;
    dataFrom = 0;
    dataTo = 0;
  }

  /// Returns true if the body and its trailer section are complete. Bytes that follow belong to
  /// another message.
  public boolean done() {
    return state == State.DONE;
  }

  /// Returns the number of data bytes that all chunks so far have announced.
  public long bodyBytes() {
    return bodyBytes;
  }

  /// Returns the start of the data that the last [#step] found. The range is empty if it only found
  /// framing.
  public int dataFrom() {
    return dataFrom;
  }

  public int dataTo() {
    return dataTo;
  }

  /// Continues from `from` until it has passed one range of data, has no more bytes, or is
  /// complete.
  ///
  /// @return the index after the last byte consumed, or a negative status, after which the
  ///   connection must be closed
  public int step(View view, int from, int to) {
    dataFrom = from;
    dataTo = from;
    int at = from;
    while (at < to && state != State.DONE) {
      if (state == State.DATA) {
        int count = (int) Math.min(size, to - at);
        dataFrom = at;
        dataTo = at + count;
        size -= count;
        if (size == 0) {
          state = State.DATA_CR;
        }
        return at + count;
      }
      int wrong = accept(view.get(at));
      if (wrong != 0) {
        return wrong;
      }
      at++;
    }
    return at;
  }

  private int accept(byte b) {
    return switch (state) {
      case SIZE_START, SIZE -> size(b);
      case EXTENSION -> extension(b);
      case SIZE_LF -> b == '\n' ? startChunk() : BAD_REQUEST;
      case DATA_CR -> expect(b, '\r', State.DATA_LF);
      case DATA_LF -> expect(b, '\n', State.SIZE_START);
      case TRAILER_START, TRAILER_NAME, TRAILER_VALUE -> trailer(b);
      case TRAILER_LF -> expect(b, '\n', State.TRAILER_START);
      case END_LF -> expect(b, '\n', State.DONE);
      case DATA, DONE -> throw new AssertionError(state);
    };
  }

  private int expect(byte b, char wanted, State next) {
    return to(next, b == wanted) ? 0 : BAD_REQUEST;
  }

  private int size(byte b) {
    int digit = Digits.hex(b);
    if (digit >= 0) {
      if (state == State.SIZE_START) {
        state = State.SIZE;
        size = 0;
        digits = 0;
        extensionBytes = 0;
      }
      size = size << 4 | digit;
      return ++digits <= SIZE_DIGITS ? 0 : BAD_REQUEST;
    }
    if (state == State.SIZE_START) {
      return BAD_REQUEST;
    }
    if (b == '\r') {
      state = State.SIZE_LF;
      return 0;
    }
    state = State.EXTENSION;
    extension.start();
    return extension(b);
  }

  private int extension(byte b) {
    if (b == '\r' && extension.mayEnd()) {
      state = State.SIZE_LF;
      return 0;
    }
    return ++extensionBytes <= EXTENSION_BYTES && extension.accept(b) ? 0 : BAD_REQUEST;
  }

  private int startChunk() {
    if (size == 0) {
      state = State.TRAILER_START;
      return 0;
    }
    if (size > maxBodyBytes - bodyBytes) {
      return CONTENT_TOO_LARGE;
    }
    bodyBytes += size;
    excess = Math.max(0, excess + digits + extensionBytes - 16 - size);
    if (excess > EXCESS_BYTES) {
      return BAD_REQUEST;
    }
    state = State.DATA;
    return 0;
  }

  private int trailer(byte b) {
    if (++trailerBytes > TRAILER_BYTES) {
      return TRAILER_TOO_LARGE;
    }
    boolean good;
    if (state == State.TRAILER_VALUE) {
      good = to(State.TRAILER_LF, b == '\r') || !isControl(b);
    } else if (state == State.TRAILER_NAME) {
      good = to(State.TRAILER_VALUE, b == ':') || AsciiSet.TOKEN.has(b);
    } else {
      good = to(State.END_LF, b == '\r') || to(State.TRAILER_NAME, AsciiSet.TOKEN.has(b));
    }
    return good ? 0 : BAD_REQUEST;
  }

  private boolean to(State next, boolean when) {
    if (when) {
      state = next;
    }
    return when;
  }

  /// Returns true if `b` must not occur in a field value.
  public static boolean isControl(byte b) {
    return (b >= 0 && b < ' ' && b != '\t') || b == 0x7f;
  }
}
