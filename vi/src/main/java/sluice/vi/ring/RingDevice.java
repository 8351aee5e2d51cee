package sluice.vi.ring;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import sluice.loop.engine.Backend;
import sluice.loop.server.Engines;
import sluice.vi.device.Answers;
import sluice.vi.device.Device;
import sluice.vi.device.DeviceException;
import sluice.vi.device.HostPort;
import sluice.vi.device.Listener;
import sluice.vi.device.Port;
import sluice.vi.device.PortSpec;

/// A device for connections over TCP, between processes and hosts. Any thread may call. All
/// messages are transferred by a separate thread, [RingLoop].
///
/// An address is `HOST:PORT`. The peer's user is not checked and nothing is encrypted, so either
/// the network must be trusted or the host must be the loopback.
final class RingDevice implements Device {
  private final RingLoop loop;

  /// The acceptors by address. Owned by the loop's thread.
  private final Map<InetSocketAddress, Acceptor> acceptors = new HashMap<>();

  RingDevice(Backend wanted) throws IOException {
    loop = new RingLoop(wanted, Engines.choose(wanted));
  }

  @Override
  public Listener listen(String place, int tag) throws IOException {
    InetSocketAddress address = HostPort.parse(place);
    RingListener listener = new RingListener(loop, () -> endListening(address, tag));
    CompletableFuture<Boolean> done = new CompletableFuture<>();
    if (!loop.order(() -> listen(address, tag, listener, done))) {
      throw DeviceException.deviceClosed();
    }
    if (!Answers.await(done, "the loop")) {
      throw DeviceException.tagTaken(tag, place, null);
    }
    return listener;
  }

  private void listen(
      InetSocketAddress address, int tag, RingListener to, CompletableFuture<Boolean> done) {
    try {
      Acceptor acceptor = acceptors.get(address);
      if (acceptor == null) {
        acceptor = Acceptor.open(loop, address);
        acceptors.put(address, acceptor);
      }
      done.complete(acceptor.add(tag, to::arrived));
    } catch (IOException e) {
      done.completeExceptionally(e);
    }
  }

  private void endListening(InetSocketAddress address, int tag) {
    CompletableFuture<Boolean> done = new CompletableFuture<>();
    boolean ordered =
        loop.order(() -> {
          Acceptor acceptor = acceptors.get(address);
          if (acceptor != null) {
            acceptor.remove(tag);
            if (acceptor.isUnused()) {
              acceptors.remove(address);
              var _ = acceptor.close().thenAccept(done::complete);
              return;
            }
          }
          done.complete(true);
        });
    try {
      boolean _ = !ordered || Answers.await(done, "the loop");
    } catch (IOException e) {
      // If the thread is interrupted or the device is being closed, the port becomes free a little
      // later.
    }
  }

  @Override
  public Port connect(String place, PortSpec spec, long timeoutNanos) throws IOException {
    InetSocketAddress address = HostPort.parse(place);
    Connecting greeting = new Connecting(loop, spec);
    if (!loop.order(() -> begin(address, greeting))) {
      throw DeviceException.deviceClosed();
    }
    try {
      return timeoutNanos < 0
          ? greeting.answer().get()
          : greeting.answer().get(timeoutNanos, TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw DeviceException.rethrown(e);
    } catch (TimeoutException e) {
      return late(greeting, e);
    } catch (InterruptedException e) {
      Port _ = abandoned(greeting);
      throw DeviceException.interrupted("connecting", e);
    }
  }

  private void begin(InetSocketAddress address, Connecting greeting) {
    try {
      greeting.connection(RingConnection.connect(loop, address, greeting));
    } catch (IOException e) {
      greeting.notBegun(e);
    }
  }

  private Port late(Connecting greeting, TimeoutException e) throws IOException {
    Port made = abandoned(greeting);
    if (made != null) {
      return made; // in the very last moment
    }
    throw DeviceException.notAccepted(e);
  }

  private @Nullable Port abandoned(Connecting greeting) throws IOException {
    CompletableFuture<Boolean> done = new CompletableFuture<>();
    boolean ordered =
        loop.order(() -> {
          greeting.abandon();
          done.complete(true);
        });
    boolean _ = ordered && Answers.await(done, "the loop");
    CompletableFuture<Port> answer = greeting.answer();
    return answer.isDone() && !answer.isCompletedExceptionally() ? answer.resultNow() : null;
  }

  @Override
  public void close() {
    loop.close();
  }
}
