package sluice.vi.ring;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.vi.device.Listener;
import sluice.vi.device.Port;
import sluice.vi.device.PortSpec;

/// Takes connections for one tag. The loop adds those that have said what they want; any thread
/// accepts them.
///
/// Limits: [#BACKLOG] connections wait; more are closed.
final class RingListener implements Listener {
  private static final int BACKLOG = 64;

  /// An arrival, or the end of the listener.
  private record Waiting(@Nullable Arrival arrival) {}

  private final RingLoop loop;
  private final LinkedBlockingQueue<Waiting> waiting = new LinkedBlockingQueue<>(BACKLOG + 1);
  private final Runnable ending;
  private boolean closed;

  /// @param ending takes the tag from the listening socket, and waits until that is done
  RingListener(RingLoop loop, Runnable ending) {
    this.loop = loop;
    this.ending = ending;
  }

  /// By the loop.
  synchronized void arrived(Arrival arrival) {
    boolean _ = waiting.removeIf(each -> each.arrival != null && each.arrival.isGone());
    if (closed || waiting.size() >= BACKLOG || !waiting.offer(new Waiting(arrival))) {
      arrival.drop();
    }
  }

  @Override
  public @Nullable Port accept(PortSpec spec, long timeoutNanos) throws IOException {
    long end = System.nanoTime() + timeoutNanos;
    while (true) {
      Waiting next;
      try {
        next =
            timeoutNanos < 0
                ? waiting.take()
                : waiting.poll(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted while a connection was waited for", e);
      }
      if (next == null) {
        return null;
      }
      Arrival arrival = next.arrival;
      if (arrival == null) {
        waiting.add(next); // for the next accept that waits
        throw new IOException("the listener is closed");
      }
      CompletableFuture<@Nullable Port> made = new CompletableFuture<>();
      if (!loop.order(() -> accept(arrival, spec, made))) {
        throw new IOException("the device is closed");
      }
      Port port = RingLoop.answer(made, "the loop");
      if (port != null) {
        return port;
      }
    }
  }

  /// By the loop.
  private void accept(Arrival arrival, PortSpec wanted, CompletableFuture<@Nullable Port> made) {
    if (arrival.isGone()) {
      made.complete(null);
    } else if (arrival.flags() != Frame.flags(wanted)) {
      arrival.refuse(Frame.OTHER_RELIABILITY);
      made.completeExceptionally(
          new IOException(
              "the peer wants another reliability than this accept. Fix: the same on both sides"));
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
    List<Waiting> left = new ArrayList<>();
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      waiting.drainTo(left);
      waiting.add(new Waiting(null));
    }
    boolean _ =
        loop.order(() -> {
          for (Waiting each : left) {
            if (each.arrival != null) {
              each.arrival.drop();
            }
          }
        });
    ending.run();
  }
}
