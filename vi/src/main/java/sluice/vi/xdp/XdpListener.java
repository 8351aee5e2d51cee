package sluice.vi.xdp;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
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

  /// Queues an arrival. The device calls.
  ///
  /// @return false when as many wait as may
  boolean arrived(Arrival arrival) {
    return waiting.offer(arrival, Arrival::isGone);
  }

  @Override
  public @Nullable Port accept(PortSpec spec, long timeoutNanos) throws IOException {
    return waiting.accept(
        timeoutNanos,
        (arrival, made) -> device.run(made, () -> made.complete(shared.accept(arrival, spec))),
        "the device");
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
