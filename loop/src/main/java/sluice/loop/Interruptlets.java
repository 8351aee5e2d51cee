package sluice.loop;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import sluice.loop.counters.CounterPublisher;

/// A server socket's handlers: an interruptlet that may be admitted, replaced and evicted while
/// connections are served, and ordinary code for what it does not answer. Any thread may call.
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
  /// Longest time between the end of a reply and the next message.
  public static final Duration DEFAULT_IDLE = Duration.ofSeconds(60);

  /// An interruptlet as it was admitted.
  record Admission(HandlerGuard guard, Supplier<? extends Interruptlet> perLoop) {}

  final Framing framing;
  final SlowHandler slowHandler;
  final long idleNanos;
  private final List<InterruptletProtocol> protocols = new CopyOnWriteArrayList<>();
  private volatile @Nullable Admission admission;

  /// Without an interruptlet: all messages go to the slow handler.
  ///
  /// @param framing where messages end
  /// @param slowHandler answers what the interruptlet passes
  /// @param idle longest time that a connection may be silent, at least 1 ms
  public Interruptlets(Framing framing, SlowHandler slowHandler, Duration idle) {
    if (idle.toMillis() < 1) {
      throw new IllegalArgumentException("idle must be at least 1 ms: " + idle);
    }
    this.framing = framing;
    this.slowHandler = slowHandler;
    this.idleNanos = idle.toNanos();
  }

  /// Connections may be silent for [#DEFAULT_IDLE].
  public Interruptlets(Framing framing, SlowHandler slowHandler) {
    this(framing, slowHandler, DEFAULT_IDLE);
  }

  /// Shows messages to an interruptlet from now on, instead of the one before. Messages that loops
  /// begin to handle after this has returned see the new one; a run that is under way ends.
  ///
  /// @param name for reports
  /// @param perLoop makes the interruptlet of each loop, on that loop's thread, at its first
  ///   message
  /// @param limit longest run, at least 1 ms
  /// @return says whether the interruptlet overran and was disabled
  public HandlerGuard admit(String name, Supplier<? extends Interruptlet> perLoop, Duration limit) {
    HandlerGuard guard = new HandlerGuard(name, limit.toNanos());
    admission = new Admission(guard, perLoop);
    return guard;
  }

  /// Sends all messages to the slow path from now on.
  public void evict() {
    admission = null;
  }

  /// Where messages end.
  public Framing framing() {
    return framing;
  }

  @Nullable Admission admission() {
    return admission;
  }

  /// Serves the connections of one loop.
  public Protocol protocol(Loop loop) {
    InterruptletProtocol made = new InterruptletProtocol(this, loop);
    protocols.add(made);
    return made;
  }

  /// Bytes of whole messages that came, on all loops.
  public long receivedBytes() {
    return sum(each -> each.receivedBytes);
  }

  /// Bytes of replies, fast and slow.
  public long sentBytes() {
    return sum(each -> each.sentBytes);
  }

  /// Messages that an interruptlet has answered.
  public long answered() {
    return sum(each -> each.answered);
  }

  /// Messages that went to the slow path.
  public long passed() {
    return sum(each -> each.passed);
  }

  /// Shows the four numbers in a counters file.
  ///
  /// @param source goes before the slash of each label
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
