package sluice.http.handlers;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;

/// The body of a streamed reply. It collects the bytes that a handler writes and passes them to the
/// loop in segments. Several threads may write, but only one at a time.
final class SlowStream extends OutputStream {
  private static final int BUFFER_BYTES = 16 << 10;

  private final SlowCall call;
  private final ReentrantLock writing = new ReentrantLock();

  /// The number of bytes that may still be written, or a negative number if unlimited.
  private long left;

  private final byte[] buffer = new byte[BUFFER_BYTES];
  private int used;
  private boolean closed;

  /// @param length the length of the body, or a negative number if it is unknown
  SlowStream(SlowCall call, long length) {
    this.call = call;
    this.left = length;
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int from, int count) throws IOException {
    Objects.checkFromIndexSize(from, count, bytes.length);
    lock();
    try {
      if (closed) {
        throw new IOException("the reply is complete already");
      }
      if (left >= 0) {
        if (count > left) {
          throw new IOException(count + " bytes do not fit a body that has " + left + " left");
        }
        left -= count;
      }
      int done = 0;
      while (done < count) {
        int n = Math.min(count - done, BUFFER_BYTES - used);
        System.arraycopy(bytes, from + done, buffer, used, n);
        used += n;
        done += n;
        if (used == BUFFER_BYTES) {
          pass();
        }
      }
    } finally {
      writing.unlock();
    }
  }

  private void lock() throws InterruptedIOException {
    try {
      writing.lockInterruptibly();
    } catch (InterruptedException e) {
      throw Interrupts.asFailure(e, "interrupted in a reply");
    }
  }

  private void pass() throws IOException {
    call.append(buffer, used);
    used = 0;
  }

  /// Passes the written bytes to the loop and waits until there is space for more.
  @Override
  public void flush() throws IOException {
    lock();
    try {
      if (!closed) {
        pass();
      }
    } finally {
      writing.unlock();
    }
  }

  /// Completes the reply, or aborts it if it is shorter than announced.
  @Override
  public void close() throws IOException {
    lock();
    try {
      if (!closed) {
        closed = true;
        if (left > 0) {
          call.cutOff();
          throw new IOException("the body ended " + left + " bytes before its length");
        }
        call.finish(buffer, used);
      }
    } finally {
      writing.unlock();
    }
  }
}
