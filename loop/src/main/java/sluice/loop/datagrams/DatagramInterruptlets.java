package sluice.loop.datagrams;

import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import sluice.loop.HandlerGuard;
import sluice.loop.Loop;
import sluice.loop.RunningHandler;
import sluice.loop.counters.CounterPublisher;
import sluice.loop.sockets.Log;
import sluice.memory.Account;
import sluice.memory.View;

/// The handlers of one port: an interruptlet, which may be admitted, replaced and evicted while
/// datagrams arrive, and a slow handler for the datagrams that the interruptlet passes.
///
/// Any thread may call [#admit] and [#evict]. All other methods must be called on the loop's
/// thread. The size of the copies for the slow path is bounded, and a datagram that exceeds the
/// bound is dropped and counted.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | admission | any thread | volatile | volatile |
/// | the counts | the loop's thread | plain; hints elsewhere | plain |
public final class DatagramInterruptlets implements DatagramHandler {
  /// The default for the maximum number of bytes of datagrams on the slow path.
  public static final long DEFAULT_COPIED_BYTES = 16 << 20;

  private record Admission(HandlerGuard guard, Supplier<? extends DatagramInterruptlet> maker) {}

  private final Loop loop;
  private final RunningHandler running;
  private final DatagramSlowHandler slow;
  private final Account copies;
  private volatile @Nullable Admission admission;
  private @Nullable Admission seen;
  private @Nullable DatagramInterruptlet interruptlet;
  private long receivedBytes;
  private long sentBytes;
  private long answered;
  private long passed;
  private long dropped;

  /// Creates the handlers without an interruptlet, so that all datagrams are passed to the slow
  /// handler.
  ///
  /// @param copiedBytes the maximum number of bytes of datagrams on the slow path
  public DatagramInterruptlets(Loop loop, DatagramSlowHandler slow, long copiedBytes) {
    this.loop = loop;
    this.running = loop.handler();
    this.slow = slow;
    this.copies = new Account(loop.name() + " passed datagrams", copiedBytes);
  }

  public DatagramInterruptlets(Loop loop, DatagramSlowHandler slow) {
    this(loop, slow, DEFAULT_COPIED_BYTES);
  }

  /// Admits an interruptlet and replaces the previous one.
  ///
  /// @param name the name for reports
  /// @param maker creates the interruptlet on the loop's thread when the first datagram arrives
  /// @param limit the maximum duration of a run, at least 1 ms
  /// @return the guard, which indicates if the interruptlet exceeded its limit and was disabled
  public HandlerGuard admit(
      String name, Supplier<? extends DatagramInterruptlet> maker, Duration limit) {
    HandlerGuard guard = new HandlerGuard(name, limit.toNanos());
    admission = new Admission(guard, maker);
    return guard;
  }

  /// Evicts the interruptlet. All subsequent datagrams are passed to the slow path.
  public void evict() {
    admission = null;
  }

  @Override
  public void received(Datagrams port, View datagram, DatagramPeer from) {
    receivedBytes += datagram.length();
    if (!answer(port, datagram, from)) {
      pass(port, datagram, from);
    }
  }

  /// Shows a datagram to the interruptlet.
  ///
  /// @return true if the interruptlet has handled it
  private boolean answer(Datagrams port, View datagram, DatagramPeer from) {
    Admission now = admission;
    if (now != seen) {
      seen = now;
      interruptlet = now == null ? null : now.guard.make(now.maker);
    }
    DatagramInterruptlet asked = interruptlet;
    if (now == null || asked == null || now.guard.disabled()) {
      return false;
    }
    DatagramOutput reply = port.to(from);
    boolean done;
    now.guard.enter(running);
    try {
      done = asked.handle(datagram, reply);
    } catch (RuntimeException | Error e) {
      now.guard.times().failed();
      throw e;
    } finally {
      now.guard.exit(running);
    }
    if (done) {
      answered++;
      send(reply);
    } else {
      reply.discard();
    }
    return done;
  }

  private void send(DatagramOutput reply) {
    sentBytes += reply.length();
    if (reply.length() > 0) {
      reply.send();
    } else {
      reply.discard();
    }
  }

  private void pass(Datagrams port, View datagram, DatagramPeer from) {
    int bytes = datagram.length();
    InetSocketAddress sender = from.address();
    if (sender == null || !copies.tryCharge(Math.max(1, bytes))) {
      dropped++;
      return;
    }
    passed++;
    byte[] copy = new byte[bytes];
    datagram.copyTo(0, copy, 0, bytes);
    DatagramPeer to = from.keep();
    try {
      loop.handlerPath().execute(() -> answerSlowly(port, copy, sender, to));
    } catch (RejectedExecutionException e) {
      ended(bytes);
      dropped++;
    }
  }

  private void answerSlowly(
      Datagrams port, byte[] datagram, InetSocketAddress sender, DatagramPeer to) {
    byte[] reply = null;
    try {
      reply = slow.handle(datagram, sender);
    } catch (Exception | Error e) {
      Log.LOGGER.log(Level.ERROR, "the slow handler of a datagram failed", e);
    }
    byte[] made = reply;
    loop.execute(() -> {
      ended(datagram.length);
      answeredSlowly(port, to, made);
    });
  }

  private void answeredSlowly(Datagrams port, DatagramPeer to, byte @Nullable [] reply) {
    if (reply == null || !port.isOpen()) {
      dropped++;
    } else if (reply.length > Datagrams.MOST_BYTES) {
      dropped++;
      Log.LOGGER.log(
          Level.ERROR,
          () ->
              "a slow handler's reply of "
                  + reply.length
                  + " bytes was dropped: a datagram has at most "
                  + Datagrams.MOST_BYTES);
    } else {
      send(port.to(to).put(reply));
    }
  }

  private void ended(int bytes) {
    copies.refund(Math.max(1, bytes));
  }

  // ---- counts -------------------------------------------------------------------------------

  public long receivedBytes() {
    return receivedBytes;
  }

  /// Returns the number of bytes of replies, fast and slow.
  public long sentBytes() {
    return sentBytes;
  }

  /// Returns the number of datagrams that the interruptlet has handled.
  public long answered() {
    return answered;
  }

  /// Returns the number of datagrams that were passed to the slow path.
  public long passed() {
    return passed;
  }

  /// Returns the number of datagrams for which there was no room on the slow path, or whose slow
  /// handler failed.
  public long dropped() {
    return dropped;
  }

  /// Publishes the counts in a counters file.
  ///
  /// @param source the part of each label before the slash
  public void publishTo(CounterPublisher into, String source) {
    into.counter(source + "/received_bytes", this::receivedBytes);
    into.counter(source + "/sent_bytes", this::sentBytes);
    into.counter(source + "/answered", this::answered);
    into.counter(source + "/passed", this::passed);
    into.counter(source + "/dropped", this::dropped);
  }
}
