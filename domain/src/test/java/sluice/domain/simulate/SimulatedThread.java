package sluice.domain.simulate;

import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import sluice.sys.threads.VirtualThreads;

/// A thread of a [Simulation], which runs it step by step: a virtual thread, whose scheduler this
/// is. Woven code parks and unparks it by a permit of its own, so that what the simulation itself
/// waits for takes no permit away.
final class SimulatedThread implements Executor {
  private static final int NO_CPU = -1;

  private final Simulation simulation;
  private final Thread thread;

  /// For woven code, the thread that it is: null if that is the virtual one.
  private final @Nullable Thread platform;

  private Runnable next = () -> {};
  private boolean permit;
  private boolean isParked;
  private boolean isResumed;

  private @Nullable Strand strand;
  private long cpuNanos;
  private long bytes;
  private long firstRead = -1;
  private long lastRead;
  private int cpu = NO_CPU;

  SimulatedThread(Simulation simulation, String name, @Nullable Thread platform, Runnable task) {
    this.simulation = simulation;
    this.platform = platform;
    thread =
        VirtualThreads.on(this)
            .name(name)
            .inheritInheritableThreadLocals(false)
            .unstarted(() -> {
              try {
                task.run();
              } catch (Throwable e) { // told by the seed's run
                simulation.failed(e);
              }
            });
  }

  @Override
  public void execute(Runnable continuation) {
    next = continuation;
    simulation.ready(this);
  }

  void step() {
    next.run();
  }

  Thread thread() {
    return thread;
  }

  /// Returns the thread that woven code takes for this.
  Thread identity() {
    return platform == null ? thread : platform;
  }

  @Nullable Strand strand() {
    return strand;
  }

  void carries(Strand other) {
    strand = other;
  }

  // ---- waits of woven code ------------------------------------------------------------------

  /// @param nanos at most, or negative for no bound
  void park(long nanos) {
    simulation.leaveIfOver();
    if (!permit && nanos != 0) {
      Simulation.Timer timer = nanos < 0 ? null : simulation.after(nanos, this::unpark);
      isParked = true;
      LockSupport.park();
      isParked = false;
      simulation.leaveIfOver();
      if (timer != null) {
        timer.cancel();
      }
    }
    permit = false;
  }

  void unpark() {
    permit = true;
    if (isParked) {
      LockSupport.unpark(thread);
    }
  }

  // ---- waits of the simulation --------------------------------------------------------------

  /// Waits until it is resumed. Called on the thread.
  void block() {
    simulation.leaveIfOver();
    while (!isResumed) {
      LockSupport.park();
      simulation.leaveIfOver();
    }
    isResumed = false;
  }

  void resume() {
    isResumed = true;
    LockSupport.unpark(thread);
  }

  // ---- clocks and processors ----------------------------------------------------------------

  void use(long nanos) {
    cpuNanos += nanos;
  }

  void allocate(long count) {
    bytes += count;
  }

  /// Returns its processor time, to the meter on it.
  long readCpu() {
    lastRead = cpuNanos;
    if (firstRead < 0) {
      firstRead = cpuNanos;
    }
    return cpuNanos;
  }

  long cpuNanos() {
    return cpuNanos;
  }

  /// Returns what it has used between the first and the last time that the meter has looked.
  long readNanos() {
    return lastRead - Math.max(0, firstRead);
  }

  long bytes() {
    return bytes;
  }

  void bind(int processor) {
    cpu = processor;
  }

  int cpu() {
    return cpu;
  }
}
