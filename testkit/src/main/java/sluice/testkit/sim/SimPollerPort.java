package sluice.testkit.sim;

import sluice.loop.engine.CompletionSink;
import sluice.loop.poller.PollerPort;
import sluice.sys.Errno;

/// A port of one-shot polls on a [SimEngine], so that a poller runs on the simulated kernel. Owned
/// by the thread that runs the simulation.
public final class SimPollerPort implements PollerPort {
  private final SimEngine engine;
  private final SimClock clock;

  public SimPollerPort(SimWorld world) {
    this.engine = world.engine();
    this.clock = world.clock();
  }

  /// Returns the engine, whose descriptors can be polled.
  public SimEngine engine() {
    return engine;
  }

  @Override
  public String name() {
    return engine.name();
  }

  @Override
  public int check(int fd) {
    return engine.isOpen(fd) ? 0 : -Errno.EBADF;
  }

  @Override
  public void arm(int fd, int events, long token) {
    engine.pollOnce(fd, events, token);
  }

  @Override
  public void cancel(long token) {
    engine.cancel(token);
  }

  @Override
  public void drain(CompletionSink sink) {
    engine.turn(0, sink);
  }

  @Override
  public void turn(long timeoutNanos, CompletionSink sink) {
    engine.turn(timeoutNanos, sink);
  }

  @Override
  public void wake() {
    engine.wake();
  }

  @Override
  public long nanos() {
    return clock.nanos();
  }

  @Override
  public long calls() {
    return engine.systemCalls();
  }

  @Override
  public void close() {
    engine.close();
  }
}
