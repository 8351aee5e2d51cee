package sluice.isocket;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import org.jspecify.annotations.Nullable;
import sluice.memory.View;
import sluice.memory.WritableView;

/// A [Socket] whose bytes a loop receives: everything that `Socket` does, and two calls that take
/// received bytes where they are and fill what is sent in place. Any thread may call, as with
/// `Socket`; a view belongs to the thread that asked for it.
///
/// `readFast` and `writeFast` never wait, and mix with ordinary reads and writes in the order of
/// the bytes. The mechanism is that of *Improving Java Server Performance with Interruptlets*,
/// section 3.1.
///
/// ```java
/// View came = socket.readFast();              // null: nothing in the arena
/// WritableView reply = socket.writeFast(64);  // null: no buffer free
/// reply.copyFrom(came, 0, 0, came.length());
/// socket.handOver(came.length());
/// ```
///
/// Lifecycle: as that of `Socket`. Closing ends the views that were given, on any thread.
public final class ISocket extends Socket {
  private final StreamImpl stream;

  /// Not connected yet, on the shared loop.
  ///
  /// @throws SocketException never; Java has a subclass of `Socket` declare it
  public ISocket() throws SocketException {
    this(new StreamImpl(null));
  }

  /// Not connected yet.
  ///
  /// @throws SocketException never; Java has a subclass of `Socket` declare it
  public ISocket(ISocketLoop loop) throws SocketException {
    this(new StreamImpl(loop));
  }

  ISocket(StreamImpl stream) throws SocketException {
    super(stream);
    this.stream = stream;
  }

  /// Connects, as [Socket#Socket(String, int)].
  public ISocket(String host, int port) throws IOException {
    this(InetAddress.getByName(host), port);
  }

  /// Connects, as [Socket#Socket(InetAddress, int)].
  public ISocket(InetAddress host, int port) throws IOException {
    this();
    connectOrClose(new InetSocketAddress(host, port));
  }

  /// Binds and connects, as [Socket#Socket(InetAddress, int, InetAddress, int)].
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

  /// What has come next and lies in the arena, where it was received: no copy, no system call, no
  /// wait. It is read from then on; the rest comes by the next `readFast` or an ordinary read.
  ///
  /// The view shows the bytes to the calling thread until the next `readFast` or [#close], and then
  /// throws. It keeps a chunk of the arena: hand the bytes on as a copy.
  ///
  /// @return null when nothing has come, or what comes next was copied because no lease was to be
  ///   had; [java.io.InputStream#available] tells, and an ordinary read brings it. At the end of
  ///   the stream too, where an ordinary read says so
  /// @throws SocketException when the socket is closed or not connected
  public @Nullable View readFast() throws IOException {
    return stream.readFast();
  }

  /// Reserves a buffer that the loop sends from. It is filled in place, and sent by [#handOver]. A
  /// reservation that was not handed over is dropped by the next one.
  ///
  /// @param bytes 1 to 65536
  /// @return for the calling thread, until [#handOver], the next reservation or [#close]; null when
  ///   no buffer is free, or too much of this socket's is on the way: an ordinary write waits then
  /// @throws SocketException when the socket is closed, not connected, or its output is shut down
  public @Nullable WritableView writeFast(int bytes) throws IOException {
    if (isOutputShutdown()) {
      throw new SocketException("Socket output is shutdown");
    }
    return stream.writeFast(bytes);
  }

  /// Sends the first bytes of what the calling thread has reserved and filled, behind all that was
  /// written before. Several that are handed over in one turn of the loop leave together.
  ///
  /// @param bytes at most what was reserved
  /// @throws IllegalStateException when this thread has reserved nothing
  public void handOver(int bytes) throws IOException {
    stream.handOver(bytes);
  }
}
