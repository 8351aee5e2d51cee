package sluice.sys.threads;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// Wakes one thread at a bounded cost for the waking thread.
///
/// `LockSupport.unpark` of a virtual thread runs that thread's scheduler, which sleeps and retries
/// if memory is short. A platform thread that wakes a virtual one, such as the handler of a loop or
/// of a device, therefore posts it into an inbox, at the cost of one exchange and one store. A
/// thread of the host empties the inbox, which delays the wake-up by some 10 µs. [#wake] is safe
/// for use by any thread.
public final class Wakeup {
  private final Thread thread;
  private final AtomicBoolean isPosted = new AtomicBoolean();

  /// Creates a wake-up for the calling thread.
  public Wakeup() {
    thread = Thread.currentThread();
    if (thread.isVirtual()) {
      Inbox.start();
    }
  }

  /// Prepares the next wait: the next wake-up is posted again. The thread calls this before it
  /// checks whether it has to wait.
  public void prepare() {
    isPosted.set(false);
  }

  /// Returns the thread.
  public Thread thread() {
    return thread;
  }

  /// Wakes the thread, so that it checks again the condition that it waits for.
  public void wake() {
    if (!thread.isVirtual() || Thread.currentThread().isVirtual()) {
      LockSupport.unpark(thread);
    } else if (isPosted.compareAndSet(false, true)) {
      Inbox.post(thread);
    }
  }

  /// The queue of threads to wake, in the order in which they were posted.
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

    /// Starts the reader, by running the static initializer.
    static void start() {
      // The static initializer does the work.
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
