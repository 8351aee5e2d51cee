package sluice.vi.ring;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import sluice.vi.device.ArrivalQueue;
import sluice.vi.device.DeviceException;
import sluice.vi.device.Listener;
import sluice.vi.device.Port;
import sluice.vi.device.PortSpec;

/// A listener for one tag. The loop adds connections whose greeting has arrived; any thread accepts
/// them.
final class RingListener implements Listener {
  private final RingLoop loop;
  private final ArrivalQueue<Arrival> waiting = new ArrivalQueue<>();
  private final Runnable ending;

  /// @param ending removes the tag from the listening socket and waits for completion
  RingListener(RingLoop loop, Runnable ending) {
    this.loop = loop;
    this.ending = ending;
  }

  /// Queues a connection. Called on the loop's thread.
  void arrived(Arrival arrival) {
    if (!waiting.offer(arrival, Arrival::isGone)) {
      arrival.drop();
    }
  }

  @Override
  public @Nullable Port accept(PortSpec spec, long timeoutNanos) throws IOException {
    return waiting.accept(
        timeoutNanos,
        (arrival, made) -> {
          if (!loop.order(() -> accept(arrival, spec, made))) {
            throw DeviceException.deviceClosed();
          }
        },
        "the loop");
  }

  /// Creates the port of an accepted connection. Called on the loop's thread.
  private void accept(Arrival arrival, PortSpec wanted, CompletableFuture<@Nullable Port> made) {
    if (arrival.isGone()) {
      made.complete(null);
    } else if (arrival.flags() != Frame.flags(wanted)) {
      arrival.refuse(Frame.OTHER_RELIABILITY);
      made.completeExceptionally(DeviceException.otherReliability(false));
    } else {
      int bytes = Math.min(arrival.transferBytes(), wanted.transferBytes());
      RingConnection connection = arrival.connection();
      RingPort port = new RingPort(loop, connection, wanted.withTransferBytes(bytes), true);
      connection.user(port);
      connection.pump();
      connection.resume();
      made.complete(port);
    }
  }

  @Override
  public void close() {
    List<Arrival> left = waiting.close();
    if (left != null) {
      boolean _ = loop.order(() -> left.forEach(Arrival::drop));
      ending.run();
    }
  }
}
