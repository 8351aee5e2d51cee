package sluice.fs.fuse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import sluice.fs.FsException;
import sluice.memory.Account;
import sluice.sys.Errno;
import sluice.sys.threads.Uninterrupted;

/// The rings of a connection, or the reason why they are not available. Instances are confined to
/// the mounting thread, except for the methods that are called by ring threads.
///
/// The kernel has one queue for each processor, and does not send any request until each queue has
/// an entry. Therefore everything that can fail is done before the kernel is told to use rings:
/// each thread opens its ring, waits for the reply to INIT, and then either registers its entry or
/// terminates.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | queues, why, fix, unopened, unregistered | the thread that mounts | plain | plain, before threads start |
/// | failure | a ring's thread, any of those that fail | volatile | volatile |
/// | refusal | a ring's thread, the first | volatile | compareAndSet |
/// | used | the thread that mounts | after `decided` | before `decided` |
final class FuseRings {
  private static final Path SWITCH = Path.of("/sys/module/fuse/parameters/enable_uring");
  private static final Path PROCESSORS = Path.of("/sys/devices/system/cpu/possible");
  private static final int MAX_QUEUES = 128;

  /// The minimum number of threads per queue. While one thread waits for a device, another thread
  /// can handle requests.
  private static final int MIN_THREADS = 2;

  private final CountDownLatch decided = new CountDownLatch(1);
  private volatile String failure = "";
  private final AtomicInteger refusal = new AtomicInteger();
  private CountDownLatch unopened = new CountDownLatch(0);
  private CountDownLatch unregistered = new CountDownLatch(0);
  private int queues;
  private int threads;
  private boolean used;
  private String why = "";
  private String fix = "";

  private FuseRings() {}

  /// Determines whether rings can be used. The kernel module that has the switch is already loaded
  /// because the device was opened before.
  static FuseRings plan(RingUse use) {
    FuseRings rings = new FuseRings();
    try {
      if (use == RingUse.OFF) {
        rings.give("they were not asked for", "ask for them (--ring auto)");
      } else if (!Files.exists(SWITCH)) {
        rings.give("the kernel has no FUSE over io_uring", "Linux 6.14 with CONFIG_FUSE_IO_URING");
      } else if (!Files.readString(SWITCH).startsWith("Y")) {
        rings.give(
            "enable_uring of the kernel's module fuse is off",
            "echo Y > " + SWITCH + ", as root, for the whole machine");
      } else {
        rings.queues = processors(Files.readString(PROCESSORS).strip());
        if (rings.queues > MAX_QUEUES) {
          rings.give(
              "the kernel wants a ring for each of " + rings.queues + " possible processors",
              "at most " + MAX_QUEUES + " (possible_cpus= of the kernel's command line)");
        }
      }
    } catch (IOException | NumberFormatException e) {
      rings.give("the number of processors is unknown: " + e.getMessage(), "mount /sys");
    }
    return rings;
  }

  /// Returns the number of processors in a list such as `0-3,8`, which is the number of queues.
  static int processors(String list) {
    int count = 0;
    for (String range : list.split(",", -1)) {
      int dash = range.indexOf('-');
      int last = Integer.parseInt(range.substring(dash + 1));
      count += dash < 0 ? 1 : last - Integer.parseInt(range.substring(0, dash)) + 1;
    }
    return count;
  }

  /// Returns true if rings can be used as far as is known.
  boolean possible() {
    return why.isEmpty();
  }

  /// Opens the rings if they can be used.
  ///
  /// @param wanted the total number of threads for all queues
  /// @param mounted the descriptor of the mount, whose INIT has not been answered yet
  /// @param start runs a worker in a new thread
  void open(FuseSession session, int wanted, int mounted, Consumer<FuseServer> start)
      throws InterruptedException {
    if (!possible()) {
      return;
    }
    threads = queues * Math.max(MIN_THREADS, wanted / queues);
    unopened = new CountDownLatch(threads);
    unregistered = new CountDownLatch(threads);
    Account account = new Account("fuse rings", threads * FuseExchange.BYTES);
    try {
      for (int i = 0; i < threads; i++) {
        int fd = FuseMount.cloneDevice(mounted);
        start.accept(new FuseRingWorker(session, fd, i % queues, account, this));
      }
      unopened.await();
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      failure = String.valueOf(e.getMessage());
    }
    if (!failure.isEmpty()) {
      giveUpAfter(failure);
    }
  }

  /// Reports that a ring thread has opened its ring. Called by that thread.
  ///
  /// @param failed the reason for a failure, or an empty string if there was none
  void opened(String failed) {
    if (!failed.isEmpty()) {
      failure = failed;
    }
    unopened.countDown();
  }

  /// Waits for the reply to INIT. Called by a ring thread.
  ///
  /// @return false if rings are not used
  boolean awaitUse() {
    Uninterrupted.await(decided::await);
    return used;
  }

  /// Reports that a ring thread has registered its entry. Called by that thread.
  ///
  /// @param result 0, or the negative errno of a failure
  void registered(int result) {
    refusal.compareAndSet(0, result);
    unregistered.countDown();
  }

  /// Lets the ring threads register their rings after INIT has been answered, and waits for them.
  ///
  /// @return false if the kernel rejected a ring, in which case it sends messages instead
  boolean use() throws InterruptedException {
    used = true;
    decided.countDown();
    unregistered.await();
    int refused = refusal.get();
    if (refused < 0) {
      give("the kernel refused a ring: " + Errno.name(-refused), "see the kernel's log (dmesg)");
    }
    return refused == 0;
  }

  /// Records that rings will not be used. The ring threads release their resources.
  void giveUp(String reason, String remedy) {
    give(reason, remedy);
    decided.countDown();
  }

  /// Records that a ring could not be opened.
  ///
  /// @param failed the message of an exception, which may contain its own reason and remedy on
  ///   separate lines
  private void giveUpAfter(String failed) {
    int remedy = failed.indexOf("\n  Fix: ");
    String cause = remedy < 0 ? failed : failed.substring(0, remedy);
    giveUp(
        "a ring cannot be opened: " + cause.replace("\n  Why: ", ": "),
        remedy < 0 ? "remove the cause" : failed.substring(failed.indexOf(':', remedy) + 2));
  }

  private void give(String reason, String remedy) {
    why = reason;
    fix = remedy;
  }

  /// Returns the exception for a mount that requires rings when they are not available.
  FsException refusal() {
    return FsException.of(
        Errno.EOPNOTSUPP,
        "mount with FUSE over io_uring\n  Why: " + why + "\n  Fix: " + fix + "; or --ring auto");
  }

  /// Returns the number of queues and threads, or the reason why rings are not available.
  String text() {
    return possible() ? queues + " queues, " + threads + " threads" : why;
  }
}
