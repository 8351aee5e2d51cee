package sluice.nio.readiness;

import static sluice.sys.Epoll.EPOLLERR;
import static sluice.sys.Epoll.EPOLLET;
import static sluice.sys.Epoll.EPOLLHUP;
import static sluice.sys.Errno.EBADF;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import sluice.sys.Epoll;
import sluice.sys.EpollDriver;
import sluice.sys.EpollEvents;
import sluice.sys.SysException;
import sun.nio.ch.SelChImpl;
import sun.nio.ch.SelectionKeyImpl;

/// The interest sets of a selector's keys and their representation in the kernel's epoll set. Any
/// thread may change an interest set. The selecting thread applies the changes, waits for events
/// and collects them.
///
/// A key is initially level-triggered, as in the JDK, which requires no system calls as long as its
/// interest does not change. When its interest is dropped for the first time, it becomes
/// edge-triggered. From then on dropping the interest requires no system call, because the kernel
/// reports at most the next arrival. The table only modifies the kernel's set after several reports
/// of a descriptor without an interest. Restoring the interest requires no `epoll_ctl` either.
/// However, an edge may have been missed, so the next select checks all such descriptors with a
/// single `ppoll`. A key whose interest remains set after several reports becomes level-triggered
/// again.
///
/// When a file is closed, the kernel removes it from the set unless there is a duplicate of the
/// descriptor. In that case its events carry an outdated generation. Since the file can no longer
/// be removed by any call, the table creates a new set after a number of such events.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `pending`, registrations, `closed` | any thread | under lock | under lock |
/// | the set of `epoll` | selecting thread | its own; other threads under lock | under lock |
/// | `events`, results | selecting thread | its own | its own |
final class InterestTable {
  static final int MAX_EVENTS = 1024;

  /// The initial capacity for the results of a select, which is sufficient for most selectors.
  private static final int FIRST_EVENTS = 16;

  /// The weight of reports at which a key becomes level-triggered again. It is reached by five
  /// consecutive reports after which the interest remained unchanged, or by seventeen after which
  /// it was dropped and restored before the next select.
  private static final int STEADY_LIMIT = 16;

  private static final int UNTOUCHED = 4;
  private static final int UNWANTED_LIMIT = 8;
  private static final int STRAY_LIMIT = 64;

  private final ReadinessCounters counts;
  private final int threshold;
  private final EpollDriver epoll;
  private final EpollEvents events;
  private final RecheckList recheck;
  private final ArrayDeque<SelectionKeyImpl> pending = new ArrayDeque<>();
  private @Nullable SelectionKeyImpl[] readyKeys = new SelectionKeyImpl[FIRST_EVENTS];
  private int[] readyEvents = new int[FIRST_EVENTS];
  private Registration[] registrations = new Registration[16];
  private int readyCount;
  private long round;
  private int strays;
  private boolean startAtEdge;
  private int drops;
  private boolean closed;
  private @Nullable SysException failure;

  /// @param threshold the maximum number of changes that are deferred until the next select
  /// @param epoll the set of the selector, which remains responsible for closing it
  InterestTable(int threshold, EpollDriver epoll, ReadinessCounters counts) {
    this.threshold = threshold;
    this.epoll = epoll;
    this.counts = counts;
    this.events = EpollEvents.recycled(MAX_EVENTS);
    this.recheck = new RecheckList();
  }

  // ---- any thread ----------------------------------------------------------------------------

  /// Records that the interest of a key is new or has changed.
  synchronized void change(SelectionKeyImpl key) {
    counts.changes.getAndIncrement();
    pending.addLast(key);
    if (pending.size() > threshold) {
      applyPending();
    }
  }

  // ---- the thread that selects ---------------------------------------------------------------

  /// Returns the set on which to wait before the next call of [#collect].
  Epoll epoll() {
    return epoll.epoll();
  }

  EpollEvents events() {
    return events;
  }

  /// Returns the number of times an interest was dropped. The value may wrap around.
  synchronized int drops() {
    return drops;
  }

  /// Updates the kernel's set and checks the keys that may be ready without a new edge.
  ///
  /// @return true if at least one key is already ready
  synchronized boolean prepare() throws IOException {
    counts.selects++;
    applyPending();
    if (failure != null) {
      SysException thrown = failure;
      failure = null;
      throw thrown;
    }
    round++;
    readyCount = 0;
    recheck.settle(this::backToLevel);
    return recheck.look(counts) > 0;
  }

  private void applyPending() {
    SelectionKeyImpl key;
    while ((key = pending.pollFirst()) != null) {
      if (key.isValid() && !closed) {
        apply(key);
      }
    }
  }

  private void apply(SelectionKeyImpl key) {
    SelChImpl channel = (SelChImpl) key.channel();
    Registration registration = at(channel.getFDVal());
    if (registration.key != key) {
      if (!registration.isOf(channel)) {
        registration.reset(channel);
      }
      registration.key = key;
    }
    want(registration, channel.translateInterestOps(key.nioInterestOps()));
  }

  private Registration at(int fd) {
    if (fd >= registrations.length) {
      registrations = Arrays.copyOf(registrations, Math.max(fd + 1, registrations.length * 2));
    }
    Registration registration = registrations[fd];
    if (registration == null) {
      registration = new Registration(fd);
      registrations[fd] = registration;
    }
    return registration;
  }

  private void want(Registration registration, int wanted) {
    registration.wanted = wanted;
    registration.touched = true;
    if (wanted == 0) {
      drop(registration);
    } else if (!registration.inKernel) {
      control(registration, false, wanted, startAtEdge);
    } else if (!registration.edge) {
      if (wanted != registration.kernelEvents) {
        control(registration, true, wanted, false);
      }
    } else if ((wanted & ~registration.kernelEvents) != 0) {
      control(registration, true, wanted, true);
    } else if (registration.needsRecheck()) {
      recheck.add(registration);
    }
  }

  private void drop(Registration registration) {
    drops++;
    registration.wanted = 0;
    registration.steady = 0;
    registration.unwanted = 0;
    if (registration.inKernel && !registration.edge) {
      control(registration, true, registration.kernelEvents, true);
      startAtEdge = true;
    }
  }

  private void backToLevel(Registration registration) {
    registration.steady += registration.touched ? 1 : UNTOUCHED;
    registration.touched = false;
    if (registration.steady > STEADY_LIMIT) {
      control(registration, true, registration.wanted, false);
      startAtEdge = false;
    }
  }

  /// Passes a registration to the kernel. Both adding and modifying make the kernel examine the
  /// file, so the next wait reports a file that is ready, even in edge-triggered mode.
  private void control(Registration registration, boolean known, int bits, boolean edge) {
    int mode = edge ? EPOLLET : 0;
    int result = epoll.arm(known, registration.fd, bits | mode, registration.data());
    counts.controls = epoll.controls();
    registration.inKernel = result >= 0;
    registration.kernelEvents = bits;
    registration.edge = edge;
    registration.quiet = bits;
    registration.steady = 0;
    registration.unwanted = 0;
    if (result < 0 && result != -EBADF) { // EBADF: closed meanwhile, its key is being cancelled
      failure = SysException.of(-result, "epoll_ctl", registration.fd, bits);
    }
  }

  /// Collects the results of a wait.
  ///
  /// @param count the number of events in [#events], or a negated errno
  /// @return the number of keys with a result since [#prepare]
  synchronized int collect(int count) throws IOException {
    counts.waits++;
    for (int i = 0; i < count; i++) {
      long data = events.data(i);
      if (data != EpollDriver.WAKE) {
        collect((int) data, (int) (data >>> 32), events.events(i));
      }
    }
    for (int i = 0; i < recheck.foundCount(); i++) {
      Registration registration = recheck.found(i);
      if (registration.found != 0 && readyCount < MAX_EVENTS) {
        report(registration, registration.found);
      }
    }
    recheck.clearFound();
    if (strays > STRAY_LIMIT) {
      rebuild();
    }
    return readyCount;
  }

  private void collect(int fd, int generation, int bits) {
    Registration registration = registrations[fd];
    if (registration.generation != generation) {
      strays++;
    } else if ((bits & (registration.wanted | EPOLLERR | EPOLLHUP)) == 0
        || registration.wanted == 0) {
      unwanted(registration, bits);
    } else if (readyCount < MAX_EVENTS) {
      report(registration, bits);
    }
  }

  private void report(Registration registration, int bits) {
    if (registration.key == null || registration.reportedAt == round) {
      return;
    }
    registration.reportedAt = round;
    if (readyCount == readyEvents.length) {
      readyKeys = Arrays.copyOf(readyKeys, 2 * readyCount);
      readyEvents = Arrays.copyOf(readyEvents, 2 * readyCount);
    }
    readyKeys[readyCount] = registration.key;
    readyEvents[readyCount++] = bits;
    if (registration.edge) {
      // The next select checks whether the application has consumed all of the input.
      registration.heard(bits);
      recheck.add(registration);
    }
  }

  private void unwanted(Registration registration, int bits) {
    counts.unwanted++;
    registration.heard(bits);
    if (!registration.edge || ++registration.unwanted >= UNWANTED_LIMIT) {
      control(registration, true, registration.wanted, true);
    }
  }

  /// Creates a new kernel set that does not contain files kept alive only by duplicate descriptors.
  private void rebuild() throws SysException {
    epoll.renew();
    strays = 0;
    counts.rebuilds++;
    for (Registration registration : registrations) {
      if (registration != null && registration.inKernel) {
        if (registration.key == null) {
          registration.reset(null);
        } else {
          control(registration, false, registration.wanted, registration.edge);
        }
      }
    }
  }

  /// Returns the key of the result at the given index since [#prepare]. Each key is returned only
  /// once.
  ///
  /// @return the key, or null if it has been cancelled
  @Nullable SelectionKeyImpl takeReady(int index) {
    SelectionKeyImpl key = readyKeys[index];
    readyKeys[index] = null;
    return key != null && key.isValid() ? key : null;
  }

  int readyEvents(int index) {
    return readyEvents[index];
  }

  /// Removes a cancelled key. Its descriptor remains in the kernel's set in case the channel is
  /// registered again.
  synchronized void remove(SelectionKeyImpl key) {
    SelChImpl channel = (SelChImpl) key.channel();
    int fd = channel.getFDVal();
    if (fd >= registrations.length || registrations[fd] == null) {
      return;
    }
    Registration registration = registrations[fd];
    if (registration.key != key) {
      return;
    }
    registration.key = null;
    if (channel.isOpen()) {
      drop(registration);
    } else {
      registration.reset(null);
    }
  }

  synchronized void close() {
    closed = true;
    pending.clear();
    events.close();
    recheck.close();
  }
}
