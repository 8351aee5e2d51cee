package sluice.domain;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// One platform thread that runs virtual threads in turn. Any thread may ask it for threads; those
/// of one carrier hand over to each other without the operating system.
///
/// A thread that computes without end holds all others of its carrier, until its domain ends.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | own | the carrier | plain | plain |
/// | others | any | volatile | volatile |
/// | sleeps | the carrier | volatile | volatile |
/// | closed | the thread that closes | volatile | volatile |
public final class Carrier implements AutoCloseable {
  /// The carrier that runs this thread, virtual or not.
  private static final ThreadLocal<@Nullable Carrier> HERE = new ThreadLocal<>();

  private final ArrayDeque<Runnable> own = new ArrayDeque<>();
  private final ConcurrentLinkedQueue<Runnable> others = new ConcurrentLinkedQueue<>();
  private final Thread thread;
  private volatile boolean sleeps;
  private volatile boolean closed;

  private Carrier(String name) {
    thread = Thread.ofPlatform().daemon().name(name).start(this::carry);
  }

  /// Starts a carrier.
  ///
  /// @throws UnsupportedOperationException if this JVM does not open `java.lang` to this module
  public static Carrier open(String name) {
    VirtualThreads.on(Runnable::run); // refuses here, and not in the first thread
    return new Carrier(name);
  }

  /// Makes virtual threads that run here. Once the carrier is closed, they no longer run.
  public ThreadFactory threads() {
    return task ->
        VirtualThreads.on(this::schedule)
            .unstarted(() -> {
              HERE.set(this);
              task.run();
            });
  }

  private void schedule(Runnable continuation) {
    if (HERE.get() == this) {
      own.add(continuation);
      return;
    }
    others.add(continuation);
    if (sleeps) {
      LockSupport.unpark(thread);
    }
  }

  private void carry() {
    HERE.set(this);
    while (!closed) {
      Runnable next = others.poll();
      if (next == null) {
        next = own.poll();
      }
      if (next != null) {
        next.run();
        continue;
      }
      sleeps = true;
      if (others.isEmpty() && !closed) {
        LockSupport.park(this);
      }
      sleeps = false;
    }
  }

  /// Ends the carrier's thread. A virtual thread that it runs at that moment goes on until it
  /// waits.
  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
  }

  /// Waits until the carrier's thread has ended.
  ///
  /// @return false if that took longer
  boolean awaitEnd(Duration atMost) throws InterruptedException {
    return thread.join(atMost);
  }
}
