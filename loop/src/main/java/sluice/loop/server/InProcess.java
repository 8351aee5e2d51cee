package sluice.loop.server;

import java.io.IOException;
import java.net.SocketAddress;
import sluice.loop.Loop;
import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;
import sluice.loop.engine.Transport;
import sluice.loop.engine.UserTransport;
import sluice.loop.readiness.InProcessEngine;
import sluice.loop.readiness.InProcessNetwork;
import sluice.loop.readiness.InProcessTransport;

/// A network inside the process: a server on it has no kernel socket, and its clients are threads
/// of the same JVM. For tests, and for a program that uses its own server. Any thread may call.
///
/// Names look like socket addresses, and mean nothing outside: port 0 chooses a free one. Bytes are
/// copied twice, through a ring of at most 64 KB for each direction, without a system call; only a
/// thread that sleeps is woken by one. Half-close, resets and full buffers are as with TCP.
///
/// ```
/// InProcess network = new InProcess();
/// Loop loop = new Loop("embedded", network.open(config), …);
/// SocketAddress name = loop.listen(…).localAddress();
/// try (InProcessStream client = network.connect(name)) { client.output().write(request); … }
/// ```
public final class InProcess {
  private final InProcessNetwork network = new InProcessNetwork();

  /// Opens an engine whose sockets are on this network. The thread that turns it first owns it.
  public Engine open(EngineConfig config) {
    return InProcessEngine.open(network, config);
  }

  /// Attaches this network to a loop, beside the sockets of its engine; listeners are opened with
  /// `loop.listen(transport, …)`. Called before the loop's first turn, or on its thread. The
  /// transport is closed with the loop.
  public Transport attach(Loop loop, EngineConfig config) {
    UserTransport transport = InProcessTransport.open(network, config);
    loop.attach(transport);
    return transport.sockets();
  }

  /// Connects to a listener of an engine or of [#listen].
  ///
  /// @throws IOException if none listens there, or its queue is full
  public InProcessStream connect(SocketAddress name) throws IOException {
    return new InProcessStream(network.connect(name));
  }

  /// Listens without an engine, for a thread that accepts and waits.
  public InProcessServer listen(SocketAddress name) throws IOException {
    return new InProcessServer(network, name);
  }
}
