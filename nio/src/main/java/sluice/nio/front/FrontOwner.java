package sluice.nio.front;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.http.FrontServer;
import sluice.loop.DescriptorWatch;
import sluice.nio.ring.SelectorLoop;
import sluice.sys.threads.ThreadEnds;

/// The loop of a front that runs on the thread that selects for the application. It receives
/// requests, serves files and collects readiness in a single wait, without any handoff between
/// threads.
///
/// The loop belongs to the thread that selects first, and must be closed by that thread.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `server`, `thread` | the selecting thread | volatile | volatile |
/// | `set`, `setReady`, `listeners` | the selecting thread, the closing thread | plain | plain |
/// | `over`, `awaitsThread` | the selecting thread, closing threads | under this object's lock | the same |
///
/// Lifecycle: waiting for the first select → running → closed.
final class FrontOwner implements SelectorLoop {
  private final Front front;
  private volatile @Nullable FrontServer server;
  private volatile @Nullable Thread thread;
  private final List<FrontListener> listeners = new ArrayList<>();
  private @Nullable DescriptorWatch set;
  private boolean setReady;
  private boolean over;
  private boolean awaitsThread;

  FrontOwner(Front front) {
    this.front = front;
  }

  @Override
  public Turned turn(int fd, boolean watching, long nanos) throws IOException {
    FrontServer mine = server;
    if (mine == null) {
      return open(fd) ? Turned.QUIET : Turned.OVER; // without a wait: a thread may have woken us
    }
    if (!isHere()) {
      throw new IOException(
          "the loop in front of the application is turned by "
              + thread
              + ", which selected first, and cannot be turned by another thread. Fix:"
              + " -Dsluice.nio.front=companion");
    }
    front.adoptWaiting(mine, listeners);
    DescriptorWatch watch = set;
    if (watching && watch != null) {
      boolean _ = watch.arm(DescriptorWatch.READABLE);
    }
    mine.turn(nanos);
    boolean ready = setReady;
    setReady = false;
    return ready ? Turned.READY : Turned.QUIET;
  }

  private boolean open(int fd) {
    if (Thread.currentThread().isVirtual()) {
      return doWithout("a virtual thread selects, which may move from thread to thread");
    }
    try {
      FrontServer opened = front.openHere();
      set = opened.watch(fd, () -> setReady = true);
      thread = Thread.currentThread();
      server = opened;
      return true;
    } catch (IOException e) {
      return doWithout(String.valueOf(e.getMessage()));
    }
  }

  private boolean doWithout(String why) {
    front.doWithoutOwner(this, why);
    return false;
  }

  @Override
  public boolean isHere() {
    return thread == Thread.currentThread();
  }

  @Override
  public void wake() {
    FrontServer turning = server;
    if (turning != null) {
      turning.wake();
    }
  }

  private void closeAfter(Thread turning, Runnable ended) {
    ThreadEnds.join(turning);
    close(ended);
  }

  /// Closes the loop. Since a ring belongs to its thread, another thread can close the ring only
  /// after that thread has terminated.
  @Override
  public void close(Runnable ended) {
    Thread turning = thread;
    synchronized (this) {
      if (over) {
        return;
      }
      if (turning != null && turning.isAlive() && !isHere()) {
        if (!awaitsThread) {
          awaitsThread = true;
          Thread.ofPlatform()
              .daemon()
              .name("sluice-front-end")
              .start(() -> closeAfter(turning, ended));
        }
        return;
      }
      over = true;
    }
    DescriptorWatch watch = set;
    if (watch != null) {
      watch.close();
    }
    FrontServer turned = server;
    if (turned != null) {
      turned.close();
    }
    ended.run();
    listeners.forEach(FrontListener::awaitAnotherOwner);
  }
}
