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

/// The rings of one connection, or why there are none. Of the thread that mounts, but for what says
/// that a ring's thread calls it.
///
/// The kernel has a queue for each processor and holds everything back until each has an entry. So
/// all that can fail is done before the kernel is told that rings will come: each thread opens its
/// ring, waits for INIT's answer, and registers its entry, or ends.
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

  /// While one of a queue's threads waits for a device, another one answers.
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

  /// Looks whether there can be rings. The module that has the switch is there when the device was
  /// opened.
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

  /// How many processors are in a list such as `0-3,8`: the kernel has so many queues.
  static int processors(String list) {
    int count = 0;
    for (String range : list.split(",", -1)) {
      int dash = range.indexOf('-');
      int last = Integer.parseInt(range.substring(dash + 1));
      count += dash < 0 ? 1 : last - Integer.parseInt(range.substring(0, dash)) + 1;
    }
    return count;
  }

  /// Whether there may be rings, as far as is known now.
  boolean possible() {
    return why.isEmpty();
  }

  /// Opens them, if they are possible.
  ///
  /// @param wanted threads for all queues together
  /// @param mounted descriptor of the mount, whose INIT was not answered yet
  /// @param start runs a worker in a thread
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

  /// A ring's thread has opened its ring.
  ///
  /// @param failed why it could not; empty if it could
  void opened(String failed) {
    if (!failed.isEmpty()) {
      failure = failed;
    }
    unopened.countDown();
  }

  /// A ring's thread waits for INIT's answer.
  ///
  /// @return false when rings are not used
  boolean awaitUse() {
    Uninterrupted.await(decided::await);
    return used;
  }

  /// A ring's thread has registered its entry.
  ///
  /// @param result 0, or the negative errno of a refusal
  void registered(int result) {
    refusal.compareAndSet(0, result);
    unregistered.countDown();
  }

  /// INIT was answered, and the kernel waits for the rings: registers them.
  ///
  /// @return false when the kernel refused one: then it asks by messages instead
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

  /// There will be no rings; what was opened is given back by its threads.
  void giveUp(String reason, String remedy) {
    give(reason, remedy);
    decided.countDown();
  }

  /// @param failed what an exception says, maybe with its own reason and remedy in lines of their
  ///   own
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

  /// What is said to a user that insists on rings where there are none.
  FsException refusal() {
    return FsException.of(
        Errno.EOPNOTSUPP,
        "mount with FUSE over io_uring\n  Why: " + why + "\n  Fix: " + fix + "; or --ring auto");
  }

  /// How many there are, or why there are none.
  String text() {
    return possible() ? queues + " queues, " + threads + " threads" : why;
  }
}
