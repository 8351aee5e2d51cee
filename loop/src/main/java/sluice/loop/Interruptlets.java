package sluice.loop;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import sluice.loop.counters.CounterPublisher;

/// The handlers of a server socket. An interruptlet may be admitted, replaced and evicted while
/// connections are served, and a slow handler processes the messages that the interruptlet does not
/// answer. Any thread may call.
///
/// One object serves all loops of a [sluice.loop.server.Server]: `Server.start(config,
/// interruptlets::protocol)`. A fast reply never overtakes a slow one: while the slow path works on
/// a message, the next of the same connection waits.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | admission | any thread | volatile | volatile |
/// | protocols | the loops, as they start | copy on write | copy on write |
public final class Interruptlets {
  /// The default for the longest time between the end of a reply and the next message.
  public static final Duration DEFAULT_IDLE = Duration.ofSeconds(60);

  /// An admitted interruptlet.
  record Admission(HandlerGuard guard, Supplier<? extends Interruptlet> perLoop) {}

  final Framing framing;
  final SlowHandler slowHandler;
  final long idleNanos;
  private final List<InterruptletProtocol> protocols = new CopyOnWriteArrayList<>();
  private volatile @Nullable Admission admission;

  /// Creates the handlers without an interruptlet: all messages go to the slow handler.
  ///
  /// @param framing determines where messages end
  /// @param slowHandler answers the messages that the interruptlet passes
  /// @param idle the maximum time for which a connection may be silent, at least 1 ms
  public Interruptlets(Framing framing, SlowHandler slowHandler, Duration idle) {
    if (idle.toMillis() < 1) {
      throw new IllegalArgumentException("idle must be at least 1 ms: " + idle);
    }
    this.framing = framing;
    this.slowHandler = slowHandler;
    this.idleNanos = idle.toNanos();
  }

  /// Creates the handlers of connections that may be silent for [#DEFAULT_IDLE].
  public Interruptlets(Framing framing, SlowHandler slowHandler) {
    this(framing, slowHandler, DEFAULT_IDLE);
  }

  /// Admits an interruptlet and replaces the previous one. Messages that a loop begins to handle
  /// after this method has returned are shown to the new interruptlet. A run in progress completes
  /// normally.
  ///
  /// @param name for reports
  /// @param perLoop creates the interruptlet of each loop, on that loop's thread, when its first
  ///   message arrives
  /// @param limit the maximum time of one run, at least 1 ms
  /// @return the guard, which indicates if the interruptlet exceeded its limit and was disabled
  public HandlerGuard admit(String name, Supplier<? extends Interruptlet> perLoop, Duration limit) {
    HandlerGuard guard = new HandlerGuard(name, limit.toNanos());
    admission = new Admission(guard, perLoop);
    return guard;
  }

  /// Evicts the interruptlet. All subsequent messages are passed to the slow path.
  public void evict() {
    admission = null;
  }

  /// Returns the framing of the messages.
  public Framing framing() {
    return framing;
  }

  @Nullable Admission admission() {
    return admission;
  }

  /// Creates the protocol for the connections of one loop.
  public Protocol protocol(Loop loop) {
    InterruptletProtocol made = new InterruptletProtocol(this, loop);
    protocols.add(made);
    return made;
  }

  /// Returns the number of bytes of whole messages received, on all loops.
  public long receivedBytes() {
    return sum(each -> each.receivedBytes);
  }

  /// Returns the number of bytes of replies, fast and slow.
  public long sentBytes() {
    return sum(each -> each.sentBytes);
  }

  /// Returns the number of messages that were answered by an interruptlet.
  public long answered() {
    return sum(each -> each.answered);
  }

  /// Returns the number of messages that were passed to the slow path.
  public long passed() {
    return sum(each -> each.passed);
  }

  /// Publishes the four numbers in a counters file.
  ///
  /// @param source the part of each label before the slash
  public void publishTo(CounterPublisher into, String source) {
    into.counter(source + "/received_bytes", this::receivedBytes);
    into.counter(source + "/sent_bytes", this::sentBytes);
    into.counter(source + "/answered", this::answered);
    into.counter(source + "/passed", this::passed);
  }

  private long sum(ToLongFunction<InterruptletProtocol> number) {
    return protocols.stream().mapToLong(number).sum();
  }
}
