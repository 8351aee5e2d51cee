package sluice.loop.server;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Objects;
import sluice.loop.readiness.InProcessEnd;
import sluice.sys.Errno;

/// A blocking endpoint of a connection on an [InProcess] network, which corresponds to a
/// [java.net.Socket]. One thread may read while another writes.
public final class InProcessStream implements Closeable {
  private static final int SHUT_WR = 1;

  private final InProcessEnd end;
  private final InputStream input = new Input();
  private final OutputStream output = new Output();
  private volatile long timeoutNanos = Long.MAX_VALUE / 2;

  InProcessStream(InProcessEnd end) {
    this.end = end;
  }

  /// Sets the time after which a blocked read or write throws a [SocketTimeoutException]. By
  /// default there is no limit.
  public void timeout(Duration longest) {
    timeoutNanos = longest.toNanos();
  }

  public InputStream input() {
    return input;
  }

  /// Returns the output stream. It is not buffered, so written bytes can be read immediately.
  public OutputStream output() {
    return output;
  }

  public SocketAddress localAddress() {
    return end.name();
  }

  /// Shuts down the output. Reading remains possible.
  public void shutdownOutput() {
    end.shutdown(SHUT_WR);
  }

  /// Closes this endpoint so that the other endpoint sees an error instead of the end of the
  /// stream.
  public void reset() {
    end.reset();
  }

  /// Closes this endpoint. If bytes were left unread, this is equivalent to [#reset]. Idempotent.
  @Override
  public void close() {
    end.close();
  }

  private static IOException failure(int errno) {
    if (errno == Errno.ETIMEDOUT) {
      return new SocketTimeoutException("the other end took too long");
    }
    String why = errno == Errno.ECONNRESET ? "Connection reset" : "Broken pipe";
    return new SocketException(why);
  }

  private static InterruptedIOException interrupted() {
    Thread.currentThread().interrupt();
    return new InterruptedIOException("interrupted while waiting for the other end");
  }

  private final class Input extends InputStream {
    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int at, int count) throws IOException {
      Objects.checkFromIndexSize(at, count, into.length);
      if (count == 0) {
        return 0;
      }
      try {
        int result = end.awaitBytes(MemorySegment.ofArray(into), at, count, timeoutNanos);
        if (result < 0) {
          throw failure(-result);
        }
        return result == 0 ? -1 : result;
      } catch (InterruptedException e) {
        throw interrupted();
      }
    }

    @Override
    public int available() {
      return end.available();
    }

    @Override
    public void close() {
      end.close();
    }
  }

  private final class Output extends OutputStream {
    @Override
    public void write(int value) throws IOException {
      write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] from, int at, int count) throws IOException {
      Objects.checkFromIndexSize(at, count, from.length);
      try {
        int result = end.sendAll(MemorySegment.ofArray(from), at, count, timeoutNanos);
        if (result < 0) {
          throw failure(-result);
        }
      } catch (InterruptedException e) {
        throw interrupted();
      }
    }

    @Override
    public void close() {
      end.close();
    }
  }
}
