package sluice.loop.server;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import sluice.loop.readiness.InProcessEnd;
import sluice.loop.readiness.InProcessListener;
import sluice.loop.readiness.InProcessNetwork;

/// A blocking listener on an [InProcess] network. Any thread may call.
public final class InProcessServer implements Closeable {
  private static final int BACKLOG = 50;

  private final InProcessNetwork network;
  private final InProcessListener listener;

  InProcessServer(InProcessNetwork network, SocketAddress name) throws IOException {
    this.network = network;
    this.listener = network.listen(name, false, BACKLOG);
  }

  public SocketAddress localAddress() {
    return listener.name();
  }

  /// Waits for a connection and returns it.
  ///
  /// @throws SocketTimeoutException if no connection has arrived before the timeout expires
  /// @throws SocketException if the listener was closed
  public InProcessStream accept(Duration timeout) throws IOException {
    @Nullable InProcessEnd accepted;
    try {
      accepted = listener.await(timeout.toNanos());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while waiting for a connection");
    }
    if (accepted == null) {
      throw listener.isClosed()
          ? new SocketException("the listener is closed")
          : new SocketTimeoutException("no connection came within " + timeout);
    }
    return new InProcessStream(accepted);
  }

  /// Closes the listener and resets all clients that have not been accepted. Idempotent.
  @Override
  public void close() {
    network.forget(listener);
    listener.close();
  }
}
