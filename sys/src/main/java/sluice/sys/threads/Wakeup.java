package sluice.sys.threads;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// Wakes one thread, by a bounded piece of work of the waker.
///
/// `LockSupport.unpark` of a virtual thread runs the thread's scheduler, and where memory is short
/// it sleeps and tries again. A platform thread that wakes a virtual one, as the handler of a loop
/// or of a device, posts it into an inbox instead: one exchange and one store. A thread of the host
/// takes from that, which costs the woken one some 10 µs. Any thread may call [#wake].
public final class Wakeup {
  private final Thread thread;
  private final AtomicBoolean isPosted = new AtomicBoolean();

  /// One for the calling thread.
  public Wakeup() {
    thread = Thread.currentThread();
    if (thread.isVirtual()) {
      Inbox.start();
    }
  }

  /// Called by the thread before it looks whether it is to wait: the next wake-up is posted again.
  public void prepare() {
    isPosted.set(false);
  }

  /// Returns the thread.
  public Thread thread() {
    return thread;
  }

  /// Has the thread look again at what it waits for.
  public void wake() {
    if (!thread.isVirtual() || Thread.currentThread().isVirtual()) {
      LockSupport.unpark(thread);
    } else if (isPosted.compareAndSet(false, true)) {
      Inbox.post(thread);
    }
  }

  /// Threads that are to be woken, by the order in which they were posted.
  private static final class Inbox {
    private static final class Node {
      private @Nullable Thread thread;
      private volatile @Nullable Node next;

      private Node(@Nullable Thread thread) {
        this.thread = thread;
      }
    }

    private static final Node BEFORE_ALL = new Node(null);
    private static final AtomicReference<Node> LAST = new AtomicReference<>(BEFORE_ALL);
    private static final Thread READER = HostThread.daemon("sluice-wakeups", Inbox::read);

    static {
      READER.start();
    }

    /// The initializer has run.
    static void start() {
      // See above.
    }

    static void post(Thread thread) {
      Node node = new Node(thread);
      LAST.getAndSet(node).next = node;
      LockSupport.unpark(READER);
    }

    private static void read() {
      Node read = BEFORE_ALL;
      while (true) {
        Node next = read.next;
        if (next == null) {
          LockSupport.park(LAST);
          boolean _ = Thread.interrupted();
          continue;
        }
        read = next;
        LockSupport.unpark(read.thread);
        read.thread = null;
      }
    }
  }
}
