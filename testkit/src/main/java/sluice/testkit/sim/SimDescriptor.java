package sluice.testkit.sim;

import java.util.ArrayList;
import java.util.List;
import sluice.sys.Errno;

/// A simulated pollable descriptor whose readiness a test controls. Owned by the thread that runs
/// the simulation.
public final class SimDescriptor {
  private final SimEngine engine;
  private final int fd;
  private final List<Waiting> waiting = new ArrayList<>();
  private int ready;
  private boolean closed;

  private record Waiting(SimOperation operation, int events) {}

  SimDescriptor(SimEngine engine, int fd) {
    this.engine = engine;
    this.fd = fd;
  }

  public int fd() {
    return fd;
  }

  /// Sets the `poll(2)` events that hold from now on; 0 for none.
  public void ready(int events) {
    ready = events;
    check();
  }

  /// Closes the descriptor number. Armed polls keep the file, as in the kernel; new ones fail.
  public void close() {
    closed = true;
    engine.numberFree(fd);
  }

  boolean isClosed() {
    return closed;
  }

  void await(SimOperation operation, int events) {
    if (closed) {
      engine.finish(operation, -Errno.EBADF, 0);
      return;
    }
    waiting.add(new Waiting(operation, events));
    check();
  }

  private void check() {
    waiting.removeIf(wait -> wait.operation.finished);
    for (Waiting wait : waiting) {
      if ((ready & wait.events) != 0) {
        engine.finish(wait.operation, ready & wait.events, 0);
      }
    }
  }
}
