package sluice.sys.threads;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// Wakes a single thread at a bounded cost for the thread that wakes it.
///
/// `LockSupport.unpark` of a virtual thread runs the scheduler of that thread, which sleeps and
/// retries if memory is scarce. Therefore a platform thread that wakes a virtual thread, such as
/// the handler of a loop or of a device, adds it to an inbox, which requires one exchange and one
/// store. A thread of the host processes the inbox, which delays the wake-up by about 10 µs.
/// [#wake] may be called by any thread.
public final class Wakeup {
  private final Thread thread;
  private final AtomicBoolean isPosted = new AtomicBoolean();

  /// Creates a wake-up object for the calling thread.
  public Wakeup() {
    thread = Thread.currentThread();
    if (thread.isVirtual()) {
      Inbox.start();
    }
  }

  /// Prepares the next wait, so that the next wake-up is posted again. The thread must call this
  /// method before it checks whether it has to wait.
  public void prepare() {
    isPosted.set(false);
  }

  /// Returns the thread that is woken.
  public Thread thread() {
    return thread;
  }

  /// Wakes the thread, which then checks the condition that it waits for again.
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

    /// Starts the thread that reads the inbox by running the static initializer.
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
