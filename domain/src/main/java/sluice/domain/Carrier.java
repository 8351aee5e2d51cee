package sluice.domain;

import java.util.ArrayDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import sluice.sys.threads.VirtualThreads;

/// One platform thread that runs virtual threads: a hand-over between two of them costs a switch
/// and wakes no other thread, so a call of a service whose thread is here costs least where the
/// caller is here too. Any thread may make threads.
///
/// Needs [VirtualThreads#OPTION]. A virtual thread that blocks its carrier blocks all of them.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | ready | threads on the carrier | plain | plain |
/// | arriving | other threads | volatile | volatile |
/// | isParked | the carrier | volatile | volatile |
public final class Carrier implements AutoCloseable {
  /// After so many of its own, the carrier looks for those that other threads made ready.
  private static final int TURNS = 64;

  private static final ThreadLocal<Carrier> HERE = new ThreadLocal<>();

  private final ArrayDeque<Runnable> ready = new ArrayDeque<>();
  private final ConcurrentLinkedQueue<Runnable> arriving = new ConcurrentLinkedQueue<>();
  private final Thread thread;
  private volatile boolean isParked;
  private volatile boolean ended;

  /// Starts the platform thread, a daemon.
  ///
  /// @throws UnsupportedOperationException if the JVM was not started with the option
  public Carrier(String name) {
    VirtualThreads.on(this::schedule); // throws now rather than in a call
    thread = Thread.ofPlatform().daemon().name(name).start(this::carry);
  }

  /// Whether this JVM lets threads have carriers of their own.
  public static boolean isAvailable() {
    return VirtualThreads.isAvailable();
  }

  /// A virtual thread of this carrier, not started.
  public Thread thread(String name, Runnable task) {
    return VirtualThreads.on(this::schedule)
        .name(name)
        .unstarted(() -> {
          HERE.set(this);
          task.run();
        });
  }

  /// A virtual thread that runs here runs on the carrier, for there is one.
  private void schedule(Runnable continuation) {
    if (HERE.get() == this) {
      ready.add(continuation);
      return;
    }
    arriving.add(continuation);
    if (isParked) {
      LockSupport.unpark(thread);
    }
  }

  private void carry() {
    for (int turns = 0; !ended; turns++) {
      Runnable next = turns % TURNS == 0 ? arriving.poll() : null;
      if (next == null) {
        next = ready.poll();
      }
      if (next == null) {
        next = arriving.poll();
      }
      if (next == null) {
        await();
      } else {
        next.run();
      }
    }
  }

  private void await() {
    isParked = true;
    if (arriving.isEmpty() && !ended) {
      LockSupport.park(this);
      boolean _ = Thread.interrupted(); // by nothing of ours: it would end each later wait at once
    }
    isParked = false;
  }

  /// Ends the carrier; its virtual threads do not go on.
  @Override
  public void close() {
    ended = true;
    LockSupport.unpark(thread);
  }
}
