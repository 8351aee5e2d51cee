package sluice.vi.xdp;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import sluice.vi.device.Answers;
import sluice.vi.device.ArrivalQueue;
import sluice.vi.device.Listener;
import sluice.vi.device.Port;
import sluice.vi.device.PortSpec;

/// Takes connections for one tag. The device's thread adds clients; any thread accepts them.
final class XdpListener implements Listener {
  private final XdpDevice device;
  private final SharedPort shared;
  private final int tag;
  private final ArrivalQueue<Arrival> waiting = new ArrivalQueue<>();

  XdpListener(XdpDevice device, SharedPort shared, int tag) {
    this.device = device;
    this.shared = shared;
    this.tag = tag;
  }

  /// By the device.
  ///
  /// @return false when as many wait as may
  boolean arrived(Arrival arrival) {
    return waiting.offer(arrival, Arrival::isGone);
  }

  @Override
  public @Nullable Port accept(PortSpec spec, long timeoutNanos) throws IOException {
    long end = System.nanoTime() + timeoutNanos;
    while (true) {
      long left = timeoutNanos < 0 ? -1 : Math.max(0, end - System.nanoTime());
      Arrival arrival = waiting.take(left);
      if (arrival == null) {
        return null;
      }
      CompletableFuture<@Nullable Port> made = new CompletableFuture<>();
      device.run(made, () -> made.complete(shared.accept(arrival, spec)));
      Port port = Answers.await(made, "the device");
      if (port != null) {
        return port;
      }
    }
  }

  @Override
  public void close() {
    List<Arrival> left = waiting.close();
    if (left != null) {
      boolean _ =
          device.order(() -> {
            shared.remove(tag);
            left.forEach(each -> shared.refuse(each, Datagram.NO_TAG));
            device.closeIfUnused(shared);
          });
    }
  }
}
