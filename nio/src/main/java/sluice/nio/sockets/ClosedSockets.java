package sluice.nio.sockets;

import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.SocketException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;

/// Translates the exceptions of closed channels into those that `java.net` expects of a socket
/// implementation, because views of channels throw the exceptions of channels. If a virtual thread
/// was interrupted, a JDK socket closes itself, and the owner of the implementation must do the
/// same. Stateless.
final class ClosedSockets {
  private ClosedSockets() {}

  /// Translates the exception of a closed channel.
  ///
  /// @return an exception that the socket converts into a `SocketException`, and that makes the
  ///   socket close itself if a virtual thread was interrupted
  static IOException of(ClosedChannelException closed) {
    return closed instanceof ClosedByInterruptException
        ? new InterruptedIOException("Closed by interrupt")
        : new SocketException("Socket closed", closed);
  }

  /// Translates the exception of a socket.
  ///
  /// @return the given exception, unless a virtual thread was interrupted
  private static IOException of(SocketException problem) {
    return Thread.currentThread().isVirtual() && Thread.currentThread().isInterrupted()
        ? new InterruptedIOException(problem.getMessage())
        : problem;
  }

  /// Wraps the input stream of a socket. Closing the stream closes the socket.
  static InputStream input(InputStream in) {
    return new FilterInputStream(in) {
      @Override
      public int read() throws IOException {
        try {
          return in.read();
        } catch (ClosedChannelException closed) {
          throw of(closed);
        } catch (SocketException problem) {
          throw of(problem);
        }
      }

      @Override
      public int read(byte[] bytes, int offset, int length) throws IOException {
        try {
          return in.read(bytes, offset, length);
        } catch (ClosedChannelException closed) {
          throw of(closed);
        } catch (SocketException problem) {
          throw of(problem);
        }
      }
    };
  }

  /// Wraps the output stream of a socket. Closing the stream closes the socket.
  static OutputStream output(OutputStream out) {
    return new FilterOutputStream(out) {
      @Override
      public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
      }

      @Override
      public void write(byte[] bytes, int offset, int length) throws IOException {
        try {
          out.write(bytes, offset, length);
        } catch (ClosedChannelException closed) {
          throw of(closed);
        } catch (SocketException problem) {
          throw of(problem);
        }
      }
    };
  }
}
