package sluice.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// Peers that use `java.net` sockets. Each peer is used by one thread at a time.
final class EngineContractSockets implements EngineContractPeers {
  private static final int TIMEOUT_MILLIS = 60_000;

  @Override
  public Peer connect(SocketAddress listener) throws IOException {
    Socket socket = new Socket();
    socket.connect(listener, TIMEOUT_MILLIS);
    return new SocketPeer(socket);
  }

  @Override
  public Listener listen() throws IOException {
    return new SocketListener(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
  }

  @Override
  public long nanos() {
    return System.nanoTime();
  }

  @Override
  public Task later(long delayNanos, Action action) {
    return new ThreadTask(delayNanos, action);
  }

  @Override
  public boolean reaches(SocketAddress address) {
    try (ServerSocket probe = new ServerSocket()) {
      probe.bind(new InetSocketAddress(((InetSocketAddress) address).getAddress(), 0));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static final class ThreadTask implements Task {
    private final Thread thread;
    private volatile @Nullable Throwable failure;

    ThreadTask(long delayNanos, Action action) {
      thread = Thread.ofPlatform().daemon().start(() -> run(delayNanos, action));
    }

    private void run(long delayNanos, Action action) {
      long end = System.nanoTime() + delayNanos;
      for (long left = delayNanos; left > 0; left = end - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
      try {
        action.run();
      } catch (Throwable e) {
        failure = e;
      }
    }

    @Override
    public void join() throws IOException {
      try {
        thread.join(TIMEOUT_MILLIS);
      } catch (InterruptedException e) {
        throw new IOException("interrupted", e);
      }
      if (thread.isAlive()) {
        throw new AssertionError("the peer's action does not end");
      }
      if (failure != null) {
        throw new AssertionError("the peer's action failed", failure);
      }
    }
  }

  private record SocketListener(ServerSocket socket) implements Listener {
    @Override
    public SocketAddress address() {
      return socket.getLocalSocketAddress();
    }

    @Override
    public Peer accept() throws IOException {
      socket.setSoTimeout(TIMEOUT_MILLIS);
      return new SocketPeer(socket.accept());
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  private static final class SocketPeer implements Peer {
    private final Socket socket;

    SocketPeer(Socket socket) throws IOException {
      this.socket = socket;
      socket.setSoTimeout(TIMEOUT_MILLIS);
      socket.setTcpNoDelay(true);
    }

    @Override
    public void write(byte[] bytes) throws IOException {
      socket.getOutputStream().write(bytes);
    }

    @Override
    public byte[] read(int count) throws IOException {
      byte[] bytes;
      try {
        bytes = socket.getInputStream().readNBytes(count);
      } catch (SocketTimeoutException e) {
        throw new AssertionError("neither bytes nor an end came", e);
      }
      if (bytes.length != count) {
        throw new IOException("stream ended after " + bytes.length + " of " + count + " bytes");
      }
      return bytes;
    }

    @Override
    public byte[] readAvailable(int limit) throws IOException {
      InputStream input = socket.getInputStream();
      byte[] bytes = new byte[Math.min(limit, input.available())];
      int count = bytes.length == 0 ? 0 : input.read(bytes);
      return Arrays.copyOf(bytes, Math.max(0, count));
    }

    @Override
    public boolean readsEnd() throws IOException {
      try {
        return socket.getInputStream().read() < 0;
      } catch (SocketTimeoutException e) {
        throw new AssertionError("neither bytes nor an end came", e);
      } catch (SocketException e) {
        return false;
      }
    }

    @Override
    public void shutdownOutput() throws IOException {
      socket.shutdownOutput();
    }

    @Override
    public void reset() throws IOException {
      socket.setSoLinger(true, 0);
      socket.close();
    }

    @Override
    public SocketAddress localAddress() {
      return socket.getLocalSocketAddress();
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
