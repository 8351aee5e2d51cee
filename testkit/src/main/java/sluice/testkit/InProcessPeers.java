package sluice.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import sluice.loop.server.InProcess;
import sluice.loop.server.InProcessServer;
import sluice.loop.server.InProcessStream;

/// Peers of the contracts on an in-process network.
final class InProcessPeers implements EngineContractPeers {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final InProcess network;
  private final EngineContractPeers threads = new EngineContractSockets();

  InProcessPeers(InProcess network) {
    this.network = network;
  }

  @Override
  public Peer connect(SocketAddress listener) throws IOException {
    return new StreamPeer(network.connect(listener));
  }

  @Override
  public Listener listen() throws IOException {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    return new StreamListener(network.listen(any));
  }

  @Override
  public long nanos() {
    return System.nanoTime();
  }

  @Override
  public Task later(long delayNanos, Action action) {
    return threads.later(delayNanos, action);
  }

  @Override
  public boolean reaches(SocketAddress address) {
    return true;
  }

  private record StreamListener(InProcessServer server) implements Listener {
    @Override
    public SocketAddress address() {
      return server.localAddress();
    }

    @Override
    public Peer accept() throws IOException {
      return new StreamPeer(server.accept(TIMEOUT));
    }

    @Override
    public void close() {
      server.close();
    }
  }

  private static final class StreamPeer implements Peer {
    private final InProcessStream stream;

    StreamPeer(InProcessStream stream) {
      this.stream = stream;
      stream.timeout(TIMEOUT);
    }

    @Override
    public void write(byte[] bytes) throws IOException {
      stream.output().write(bytes);
    }

    @Override
    public byte[] read(int count) throws IOException {
      byte[] bytes;
      try {
        bytes = stream.input().readNBytes(count);
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
      return stream.input().readNBytes(Math.min(limit, stream.input().available()));
    }

    @Override
    public boolean readsEnd() throws IOException {
      try {
        return stream.input().read() < 0;
      } catch (SocketTimeoutException e) {
        throw new AssertionError("neither bytes nor an end came", e);
      } catch (SocketException e) {
        return false;
      }
    }

    @Override
    public void shutdownOutput() {
      stream.shutdownOutput();
    }

    @Override
    public void reset() {
      stream.reset();
    }

    @Override
    public SocketAddress localAddress() {
      return stream.localAddress();
    }

    @Override
    public void close() {
      stream.close();
    }
  }
}
