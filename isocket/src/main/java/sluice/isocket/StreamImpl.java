package sluice.isocket;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.ref.Cleaner;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import sluice.memory.View;
import sluice.memory.WritableView;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.PollFds;
import sluice.sys.sockets.SocketErrors;

/// A connected or connecting socket whose bytes are transferred by a [SharedStream]. Any thread may
/// call.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `stream` | the thread that connects or accepts | volatile | volatile, under this object's lock |
///
/// Lifecycle: new → created → connecting → connected → closed; or new → accepted → closed. A socket
/// that becomes unreachable without being closed is closed by the garbage collector, as a JDK
/// socket is.
final class StreamImpl extends KernelImpl {
  private static final Cleaner CLEANER = Cleaner.create();

  private final @Nullable ISocketLoop loop;
  private volatile @Nullable SharedStream stream;
  private boolean connecting;

  /// @param loop the loop to use, or null for the shared loop
  StreamImpl(@Nullable ISocketLoop loop) {
    super(false);
    this.loop = loop;
  }

  SharedStream stream() throws SocketException {
    SharedStream connected = stream;
    if (connected == null) {
      throw new SocketException(isClosed() ? "Socket closed" : "Not connected");
    }
    return connected;
  }

  /// Transfers all bytes through the given stream from now on.
  private void use(SharedStream connected, int fd) throws SocketException {
    opened(fd);
    CLEANER.register(this, connected::close);
    InetSocketAddress local = KernelSocket.local(fd);
    InetSocketAddress remote = KernelSocket.remote(fd);
    localport = local == null ? 0 : local.getPort();
    if (remote != null) {
      address = remote.getAddress();
      port = remote.getPort();
    }
    synchronized (this) {
      stream = connected;
    }
  }

  /// Adopts the stream that a server socket has accepted.
  void accepted(SharedStream connected) throws SocketException {
    use(connected, connected.fd());
  }

  // ---- connecting -----------------------------------------------------------------------------

  @Override
  protected void connect(String host, int port) throws IOException {
    connect(new InetSocketAddress(host, port), timeoutMillis);
  }

  @Override
  protected void connect(InetAddress host, int port) throws IOException {
    connect(new InetSocketAddress(host, port), timeoutMillis);
  }

  @Override
  protected void connect(SocketAddress remote, int millis) throws IOException {
    if (!(remote instanceof InetSocketAddress inet)) {
      throw new IllegalArgumentException("Unsupported address type");
    }
    if (inet.isUnresolved()) {
      throw new UnknownHostException(inet.getHostName());
    }
    InetAddress host = inet.getAddress();
    if (host.isAnyLocalAddress()) {
      host = InetAddress.getLocalHost();
    }
    try {
      connectTo(host, inet.getPort(), millis);
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  private void connectTo(InetAddress host, int toPort, int millis) throws IOException {
    int fd;
    synchronized (this) {
      fd = descriptor();
      if (stream != null) {
        throw new SocketException("Already connected");
      }
      connecting = true;
    }
    int own;
    try {
      int result = KernelSocket.connect(fd, host, toPort);
      if (result == -Errno.EINPROGRESS || result == -Errno.EINTR) {
        result = await(fd, millis);
      }
      if (isClosed()) {
        throw new SocketException("Socket closed");
      }
      int _ = SocketErrors.check(result);
      own = Files.duplicate(fd);
    } finally {
      boolean late;
      synchronized (this) {
        connecting = false;
        late = isClosed();
      }
      if (late) {
        closeDescriptor();
      }
    }
    int _ = SocketErrors.check(own);
    join(own);
  }

  /// Passes the connected descriptor to the loop. The stream uses a separate descriptor.
  private void join(int own) throws IOException {
    ISocketLoop joined;
    try {
      joined = loop == null ? ISocketLoop.shared() : loop;
    } catch (IOException e) {
      Files.close(own);
      throw e;
    }
    SharedStream connected = joined.connected(own);
    try {
      closeDescriptor(); // options of the same socket are set through the stream's descriptor
      use(connected, connected.fd());
    } catch (SocketException e) {
      connected.close();
      throw e;
    }
  }

  private int await(int fd, int millis) throws IOException {
    long deadline = System.nanoTime() + millis * 1_000_000L;
    try (PollFds poll = PollFds.recycled(1)) {
      poll.set(0, fd, PollFds.POLLOUT);
      while (true) {
        long left = millis == 0 ? -1 : deadline - System.nanoTime();
        if (millis != 0 && left <= 0) {
          throw new SocketTimeoutException("Connect timed out");
        }
        int ready = poll.poll(1, left);
        if (ready > 0) {
          return KernelSocket.error(fd);
        }
        if (ready < 0 && ready != -Errno.EINTR) {
          return ready;
        }
      }
    }
  }

  // ---- bytes ----------------------------------------------------------------------------------

  @Override
  protected InputStream getInputStream() {
    return new Input(this);
  }

  @Override
  protected OutputStream getOutputStream() {
    return new Output(this);
  }

  int read(byte[] into, int from, int count) throws IOException {
    Objects.checkFromIndexSize(from, count, into.length);
    SharedStream connected = stream();
    return count == 0 ? 0 : connected.read(into, from, count, timeoutMillis);
  }

  void write(byte[] bytes, int from, int count) throws IOException {
    Objects.checkFromIndexSize(from, count, bytes.length);
    SharedStream connected = stream();
    if (count > 0) {
      connected.write(bytes, from, count);
    }
  }

  @Nullable View readFast() throws IOException {
    return stream().readFast();
  }

  @Nullable WritableView writeFast(int bytes) throws IOException {
    return stream().writeFast(bytes);
  }

  void handOver(int count) throws IOException {
    stream().handOver(count);
  }

  @Override
  protected int available() throws IOException {
    return stream().available();
  }

  @Override
  protected boolean supportsUrgentData() {
    return true;
  }

  @Override
  protected void sendUrgentData(int data) throws IOException {
    stream().sendUrgent(data);
  }

  @Override
  protected void shutdownInput() throws IOException {
    stream().shutdownInput();
  }

  @Override
  protected void shutdownOutput() throws IOException {
    stream().shutdownOutput();
  }

  @Override
  protected void close() {
    SharedStream connected;
    boolean interrupts;
    synchronized (this) {
      if (!markClosed()) {
        return;
      }
      connected = stream;
      interrupts = connecting;
    }
    if (connected != null) {
      connected.close();
    } else if (interrupts) {
      interruptKernel(); // the connecting thread closes the descriptor
    } else {
      closeDescriptor();
    }
  }

  // ---- not for this kind ----------------------------------------------------------------------

  @Override
  protected void listen(int backlog) throws IOException {
    throw new SocketException("a connecting isocket does not listen");
  }

  @Override
  protected void accept(SocketImpl accepted) throws IOException {
    throw new SocketException("a connecting isocket does not accept");
  }

  private static final class Input extends InputStream {
    private final StreamImpl socket;

    Input(StreamImpl socket) {
      this.socket = socket;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      int n = read(one, 0, 1);
      return n > 0 ? one[0] & 0xff : -1;
    }

    @Override
    public int read(byte[] into, int from, int count) throws IOException {
      return socket.read(into, from, count);
    }

    @Override
    public int available() throws IOException {
      return socket.available();
    }

    @Override
    public void close() {
      socket.close();
    }
  }

  private static final class Output extends OutputStream {
    private final StreamImpl socket;

    Output(StreamImpl socket) {
      this.socket = socket;
    }

    @Override
    public void write(int value) throws IOException {
      write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int count) throws IOException {
      socket.write(bytes, from, count);
    }

    @Override
    public void close() {
      socket.close();
    }
  }
}
