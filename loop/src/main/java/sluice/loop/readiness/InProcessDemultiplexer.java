package sluice.loop.readiness;

import java.util.Arrays;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// A demultiplexer of endpoints and listeners of in-process connections. Owned by the engine's
/// thread, except [#wake] and [#signal].
///
/// Sockets that may be ready are in a candidate list. A socket is added to the list when its events
/// or its watched events change, and removed when a check finds that it is not ready. The cost of a
/// wait is therefore proportional to the number of changes.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | sleeping, wakeUp | owner and wakers | volatile | volatile |
/// | everything else | owner | plain | plain |
final class InProcessDemultiplexer implements Demultiplexer {
  private final InProcessSockets sockets;
  private final ConcurrentLinkedQueue<InProcessPollable> changed = new ConcurrentLinkedQueue<>();
  private @Nullable ReadinessSocket[] watched = new @Nullable ReadinessSocket[64];
  private @Nullable ReadinessSocket[] candidates = new @Nullable ReadinessSocket[64];
  private int count;
  private int[] readySockets = new int[64];
  private int[] readyEvents = new int[64];
  private boolean woken;
  private volatile @Nullable Thread sleeping;
  private volatile boolean wakeUp;
  private volatile @Nullable Runnable waker;

  InProcessDemultiplexer(InProcessSockets sockets) {
    this.sockets = sockets;
  }

  // ---- for any thread -----------------------------------------------------------------------

  void signal(InProcessPollable pollable) {
    changed.add(pollable);
    unpark();
  }

  @Override
  public void wake() {
    wakeUp = true;
    unpark();
  }

  private void unpark() {
    Thread thread = sleeping;
    if (thread != null) {
      LockSupport.unpark(thread);
    }
    Runnable outer = waker;
    if (outer != null) {
      outer.run();
    }
  }

  /// Sets an action that is run when a change has occurred.
  void wakeBy(Runnable wake) {
    waker = wake;
  }

  /// Returns true if a wait may return immediately. Used by a loop that is about to sleep.
  boolean mayBeReady() {
    return count > 0 || wakeUp || !changed.isEmpty();
  }

  // ---- for the owner ------------------------------------------------------------------------

  @Override
  public int update(ReadinessSocket socket, int events) {
    socket.registered = events;
    int number = socket.number;
    if (events == 0) {
      if (number < watched.length) {
        watched[number] = null;
      }
      remove(socket);
      return 0;
    }
    if (number >= watched.length) {
      watched = Arrays.copyOf(watched, Math.max(number + 1, 2 * watched.length));
    }
    watched[number] = socket;
    add(socket);
    return 0;
  }

  private void add(ReadinessSocket socket) {
    if (socket.watchIndex < 0) {
      if (count == candidates.length) {
        candidates = Arrays.copyOf(candidates, 2 * count);
      }
      socket.watchIndex = count;
      candidates[count++] = socket;
    }
  }

  private void remove(ReadinessSocket socket) {
    int hole = socket.watchIndex;
    if (hole < 0) {
      return;
    }
    ReadinessSocket last = candidates[--count];
    candidates[count] = null;
    socket.watchIndex = -1;
    if (hole != count && last != null) {
      candidates[hole] = last;
      last.watchIndex = hole;
    }
  }

  @Override
  public int await(long timeoutNanos) {
    long end = timeoutNanos > 0 ? System.nanoTime() + timeoutNanos : 0;
    boolean interrupted = false;
    int ready = look();
    while (ready == 0 && timeoutNanos != 0 && !wakeUp) {
      long left = timeoutNanos < 0 ? Long.MAX_VALUE : end - System.nanoTime();
      if (left <= 0) {
        break;
      }
      sleeping = Thread.currentThread();
      if (changed.isEmpty() && !wakeUp) {
        LockSupport.parkNanos(this, left);
      }
      sleeping = null;
      interrupted |= Thread.interrupted(); // which would end every park at once
      ready = look();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (wakeUp) {
      wakeUp = false;
      woken = true;
    }
    return ready;
  }

  private int look() {
    InProcessPollable pollable = changed.poll();
    while (pollable != null) {
      pollable.seen();
      int number = pollable.number();
      ReadinessSocket socket = number < watched.length ? watched[number] : null;
      if (socket != null) {
        add(socket);
      }
      pollable = changed.poll();
    }
    int ready = 0;
    int i = 0;
    while (i < count) {
      ReadinessSocket socket = candidates[i];
      if (socket == null) {
        throw new AssertionError("a candidate is missing");
      }
      int events = sockets.events(socket.number) & (socket.registered | ERR | HUP);
      if (events == 0) {
        remove(socket); // the last one is at this place now
        continue;
      }
      if (ready == readySockets.length) {
        readySockets = Arrays.copyOf(readySockets, 2 * ready);
        readyEvents = Arrays.copyOf(readyEvents, 2 * ready);
      }
      readySockets[ready] = socket.number;
      readyEvents[ready] = events;
      ready++;
      i++;
    }
    return ready;
  }

  @Override
  public int socket(int index) {
    return readySockets[index];
  }

  @Override
  public int events(int index) {
    return readyEvents[index];
  }

  @Override
  public boolean woken() {
    boolean result = woken;
    woken = false;
    return result;
  }

  /// Returns 0 because there are no system calls.
  @Override
  public long calls() {
    return 0;
  }

  @Override
  public void close() {
    changed.clear();
  }
}
