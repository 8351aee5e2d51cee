package sluice.isocket;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import org.jspecify.annotations.Nullable;
import sluice.memory.View;
import sluice.memory.WritableView;

/// A [Socket] whose bytes a loop receives. It does everything that `Socket` does, and has two fast
/// calls: one returns received bytes in place, without a copy, and the other lets output be filled
/// in place. Any thread may call, as with `Socket`; a view belongs to the thread that asked for it.
///
/// `readFast` and `writeFast` never wait. They can be mixed with ordinary reads and writes, in the
/// order of the stream. The mechanism is described in *Improving Java Server Performance with
/// Interruptlets*, section 3.1.
///
/// ```java
/// View came = socket.readFast();              // null: nothing in the arena
/// WritableView reply = socket.writeFast(64);  // null: no buffer free
/// reply.copyFrom(came, 0, 0, came.length());
/// socket.handOver(came.length());
/// ```
///
/// The lifecycle is that of `Socket`. Closing ends the views that were given out, on any thread.
public final class ISocket extends Socket {
  private final StreamImpl stream;

  /// Creates an unconnected socket on the shared loop.
  ///
  /// @throws SocketException never; Java requires a subclass of `Socket` to declare it
  public ISocket() throws SocketException {
    this(new StreamImpl(null));
  }

  /// Creates an unconnected socket on a loop.
  ///
  /// @throws SocketException never; Java requires a subclass of `Socket` to declare it
  public ISocket(ISocketLoop loop) throws SocketException {
    this(new StreamImpl(loop));
  }

  ISocket(StreamImpl stream) throws SocketException {
    super(stream);
    this.stream = stream;
  }

  /// Connects, as [Socket#Socket(String, int)] does.
  public ISocket(String host, int port) throws IOException {
    this(InetAddress.getByName(host), port);
  }

  /// Connects, as [Socket#Socket(InetAddress, int)] does.
  public ISocket(InetAddress host, int port) throws IOException {
    this();
    connectOrClose(new InetSocketAddress(host, port));
  }

  /// Binds and connects, as [Socket#Socket(InetAddress, int, InetAddress, int)] does.
  public ISocket(InetAddress host, int port, InetAddress localHost, int localPort)
      throws IOException {
    this();
    bind(new InetSocketAddress(localHost, localPort));
    connectOrClose(new InetSocketAddress(host, port));
  }

  private void connectOrClose(InetSocketAddress to) throws IOException {
    try {
      connect(to);
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  /// Reads the next received bytes in place, in the arena: without a copy, a system call or a wait.
  /// They then count as read; the rest follows with the next `readFast` or an ordinary read.
  ///
  /// The view shows the bytes to the calling thread until the next `readFast` or [#close], and
  /// throws after that. It occupies a chunk of the arena, so copy the bytes to pass them on.
  ///
  /// @return null if nothing has arrived, if the next bytes were copied because no lease was
  ///   available, or at the end of the stream. [java.io.InputStream#available] tells if there are
  ///   copied bytes; an ordinary read returns them, and reports the end of the stream
  /// @throws SocketException if the socket is closed or not connected
  public @Nullable View readFast() throws IOException {
    return stream.readFast();
  }

  /// Reserves a buffer that the loop sends from. The caller fills it in place and sends it with
  /// [#handOver]. A reservation that was not handed over is dropped by the next one.
  ///
  /// @param bytes the size, 1 to 65536
  /// @return a view for the calling thread, valid until [#handOver], the next reservation or
  ///   [#close]; null if no buffer is free, or if too much output of this socket is pending. An
  ///   ordinary write would wait then
  /// @throws SocketException if the socket is closed, not connected, or its output is shut down
  public @Nullable WritableView writeFast(int bytes) throws IOException {
    if (isOutputShutdown()) {
      throw new SocketException("Socket output is shutdown");
    }
    return stream.writeFast(bytes);
  }

  /// Sends the first bytes of the calling thread's reservation, after everything that was written
  /// before. Reservations that are handed over in one turn of the loop are sent together.
  ///
  /// @param bytes the number of bytes, at most the size of the reservation
  /// @throws IllegalStateException if this thread has reserved nothing
  public void handOver(int bytes) throws IOException {
    stream.handOver(bytes);
  }
}
