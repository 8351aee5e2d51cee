package sluice.testkit.sim;

import static sluice.testkit.sim.SimOperation.ifActive;

import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;
import sluice.loop.engine.Completion;
import sluice.loop.engine.ListenOptions;
import sluice.sys.Errno;
import sluice.testkit.sim.SimOperation.Lane;

/// A listening socket of a simulated engine with its accept queue. Owned by the engine's thread.
final class SimPort implements SimNetwork.SimListener {
  private static final int MAX_LAG_NANOS = 10_000;

  final Lane lane = new Lane();
  @Nullable SimOperation accept;
  boolean closeStaged;

  private final SimNetwork network;
  private final SimEngine engine;
  private final ListenOptions options;
  private final ArrayDeque<SimSocket> queue = new ArrayDeque<>();
  private @Nullable InetSocketAddress address;
  private boolean accepting;

  SimPort(SimNetwork network, SimEngine engine, ListenOptions options) {
    this.network = network;
    this.engine = engine;
    this.options = options;
  }

  void bound(InetSocketAddress value) {
    address = value;
  }

  @Nullable InetSocketAddress address() {
    return address;
  }

  @Override
  public boolean reusePort() {
    return options.reusePort();
  }

  @Override
  public @Nullable SimEndpoint offer(InetSocketAddress source) {
    if (queue.size() == options.backlog()) {
      return null;
    }
    SimSocket socket = new SimSocket(network, engine, source);
    queue.add(socket);
    schedule();
    return socket;
  }

  void schedule() {
    if (ifActive(accept) != null && !accepting && !queue.isEmpty()) {
      accepting = true;
      network.scheduler().after(network.random().below(MAX_LAG_NANOS), this::acceptAll);
    }
  }

  private void acceptAll() {
    accepting = false;
    SimOperation operation = ifActive(accept);
    while (operation != null && operation.active() && !queue.isEmpty()) {
      if (network.faults().roll(SimFault.ACCEPT_EMFILE)) {
        engine.finish(operation, -Errno.EMFILE, 0);
      } else if (network.faults().roll(SimFault.ACCEPT_ABORTED)) {
        queue.remove().lose();
        complete(operation, -Errno.ECONNABORTED, network.random().chance(500));
      } else {
        int number = engine.open(queue.element());
        if (number < 0) {
          engine.finish(operation, number, 0);
        } else {
          queue.remove();
          complete(operation, number, !network.faults().roll(SimFault.LOST_ARMING));
        }
      }
    }
  }

  private void complete(SimOperation operation, int result, boolean more) {
    if (more) {
      engine.queue(operation, result, Completion.MORE);
    } else {
      engine.finish(operation, result, 0);
    }
  }

  /// Stops listening. Connections that were not accepted are reset.
  void close() {
    if (address != null) {
      network.unlisten(address.getPort(), this);
    }
    queue.forEach(SimEndpoint::abort);
    queue.clear();
  }
}
