package sluice.isocket;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import org.jspecify.annotations.Nullable;
import sluice.memory.View;
import sluice.memory.WritableView;

/// A [Socket] whose input is received by a loop. It supports everything that `Socket` does and adds
/// two fast operations. One returns received bytes in place, without copying them, and the other
/// returns a send buffer that is filled in place. Any thread may call, as with `Socket`, but a view
/// may only be used by the thread that requested it.
///
/// `readFast` and `writeFast` never block. They can be mixed with ordinary reads and writes and
/// preserve the order of the stream. The mechanism is described in *Improving Java Server
/// Performance with Interruptlets*, section 3.1.
///
/// ```java
/// View came = socket.readFast();              // null: nothing in the arena
/// WritableView reply = socket.writeFast(64);  // null: no buffer free
/// reply.copyFrom(came, 0, 0, came.length());
/// socket.handOver(came.length());
/// ```
///
/// The lifecycle is the same as that of `Socket`. Closing the socket invalidates its views on all
/// threads.
public final class ISocket extends Socket {
  private final StreamImpl stream;

  /// Creates an unconnected socket on the shared loop.
  ///
  /// @throws SocketException never; Java requires a subclass of `Socket` to declare it
  public ISocket() throws SocketException {
    this(new StreamImpl(null));
  }

  /// Creates an unconnected socket on the given loop.
  ///
  /// @throws SocketException never; Java requires a subclass of `Socket` to declare it
  public ISocket(ISocketLoop loop) throws SocketException {
    this(new StreamImpl(loop));
  }

  ISocket(StreamImpl stream) throws SocketException {
    super(stream);
    this.stream = stream;
  }

  /// Creates a connected socket, as [Socket#Socket(String, int)] does.
  public ISocket(String host, int port) throws IOException {
    this(InetAddress.getByName(host), port);
  }

  /// Creates a connected socket, as [Socket#Socket(InetAddress, int)] does.
  public ISocket(InetAddress host, int port) throws IOException {
    this();
    connectOrClose(new InetSocketAddress(host, port));
  }

  /// Creates a bound and connected socket, as [Socket#Socket(InetAddress, int, InetAddress, int)]
  /// does.
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

  /// Reads the next received bytes in place in the arena, without a copy, a system call or a wait.
  /// The bytes then count as read. The next `readFast` or ordinary read returns the bytes that
  /// follow.
  ///
  /// The view shows the bytes to the calling thread until the next `readFast` or [#close], and
  /// throws an exception afterwards. Because the view occupies a chunk of the arena, the bytes
  /// should be copied if they are passed on.
  ///
  /// @return null if nothing has arrived, if the next bytes were copied because no lease was
  ///   available, or if the end of the stream has been reached. [java.io.InputStream#available]
  ///   returns the number of copied bytes; an ordinary read returns these bytes, or reports the end
  ///   of the stream
  /// @throws SocketException if the socket is closed or not connected
  public @Nullable View readFast() throws IOException {
    return stream.readFast();
  }

  /// Reserves a send buffer. The caller fills it in place and sends it with [#handOver]. A
  /// reservation that has not been sent is discarded by the next one.
  ///
  /// @param bytes the size, 1 to 65536
  /// @return a view for the calling thread, valid until [#handOver], the next reservation or
  ///   [#close]; null if no buffer is free or if too much output of this socket is pending, in
  ///   which case an ordinary write would block
  /// @throws SocketException if the socket is closed, not connected, or its output is shut down
  public @Nullable WritableView writeFast(int bytes) throws IOException {
    if (isOutputShutdown()) {
      throw new SocketException("Socket output is shutdown");
    }
    return stream.writeFast(bytes);
  }

  /// Sends the first bytes of the calling thread's reservation, after all output that was written
  /// before. Reservations that are submitted in the same turn of the loop are sent together.
  ///
  /// @param bytes the number of bytes, at most the size of the reservation
  /// @throws IllegalStateException if this thread has no reservation
  public void handOver(int bytes) throws IOException {
    stream.handOver(bytes);
  }
}
