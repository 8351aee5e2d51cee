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

/// A network inside the process. A server on it has no kernel socket, and its clients are threads
/// of the same JVM. It is intended for tests, and for programs that use their own server. Any
/// thread may call.
///
/// Names look like socket addresses but have no meaning outside of the network. Port 0 chooses a
/// free port. Bytes are copied twice, through a ring of at most 64 KB for each direction. No system
/// call is made except to wake a sleeping thread. Half-close, resets and full buffers behave as
/// with TCP.
///
/// ```
/// InProcess network = new InProcess();
/// Loop loop = new Loop("embedded", network.open(config), …);
/// SocketAddress name = loop.listen(…).localAddress();
/// try (InProcessStream client = network.connect(name)) { client.output().write(request); … }
/// ```
public final class InProcess {
  private final InProcessNetwork network = new InProcessNetwork();

  /// Opens an engine whose sockets are on this network. It is owned by the first thread that turns
  /// it.
  public Engine open(EngineConfig config) {
    return InProcessEngine.open(network, config);
  }

  /// Attaches this network to a loop in addition to the sockets of its engine. Listeners are opened
  /// with `loop.listen(transport, …)`. This method must be called before the loop's first turn or
  /// on its thread. The transport is closed together with the loop.
  public Transport attach(Loop loop, EngineConfig config) {
    UserTransport transport = InProcessTransport.open(network, config);
    loop.attach(transport);
    return transport.sockets();
  }

  /// Connects to a listener of an engine or one created by [#listen].
  ///
  /// @throws IOException if there is no listener with that name, or if its queue is full
  public InProcessStream connect(SocketAddress name) throws IOException {
    return new InProcessStream(network.connect(name));
  }

  /// Opens a listener without an engine, for a thread that blocks in accept.
  public InProcessServer listen(SocketAddress name) throws IOException {
    return new InProcessServer(network, name);
  }
}
