package sluice.nio.readiness;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.SelectorProvider;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import sluice.sys.Epoll;
import sluice.sys.EpollDriver;
import sluice.sys.Errno;
import sluice.sys.PollFds;
import sluice.sys.SysException;
import sun.nio.ch.SelectionKeyImpl;
import sun.nio.ch.SelectorImpl;

/// An epoll selector for the JDK's channels that makes fewer system calls than the JDK's selector.
/// Any thread may use it, but only one thread at a time can select. A virtual thread is parked
/// while it waits.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `state` | any thread | volatile | compare-and-set, exchange |
/// | `table` | see there | | |
/// | `coalescing` | selecting thread | its own | its own |
public final class ReadinessSelector extends SelectorImpl {
  private static final int AWAKE = 0;
  private static final int SLEEPING = 1;
  private static final int WOKEN = 2;

  private final EpollDriver epoll;
  private final InterestTable table;
  private final ReadinessCounters counts;
  private final EpollPark park = new EpollPark();
  private final WaitCoalescing coalescing;
  private final boolean mayCoalesce;

  /// An empty set of descriptors that is used for sleeping.
  private final PollFds none = PollFds.recycled(1);

  private final AtomicInteger state = new AtomicInteger();

  ReadinessSelector(SelectorProvider provider, ReadinessSettings settings, ReadinessCounters counts)
      throws SysException {
    super(provider);
    this.mayCoalesce = settings.coalescing();
    this.counts = counts;
    this.epoll = EpollDriver.open();
    this.table = new InterestTable(settings.threshold(), epoll, counts);
    coalescing = new WaitCoalescing(System::nanoTime, table::drops);
  }

  @Override
  protected int doSelect(@Nullable Consumer<SelectionKey> action, long timeoutMillis)
      throws IOException {
    processDeregisterQueue();
    boolean virtual = Thread.currentThread().isVirtual();
    boolean mayHold = mayCoalesce && timeoutMillis != 0 && !virtual;
    if (mayHold && coalescing.isOn() && state.get() == AWAKE) {
      counts.holds++;
      int _ = none.poll(0, WaitCoalescing.HOLD_NANOS); // meanwhile a wake-up need not write
    }
    int ready = 0;
    try {
      boolean isReady = table.prepare();
      if (virtual) {
        ready = awaitParked(timeoutMillis);
      } else {
        boolean blocking = timeoutMillis != 0;
        try {
          begin(blocking);
          ready = awaitBlocked(timeoutMillis, isReady);
        } finally {
          end(blocking);
        }
      }
    } finally {
      state.set(AWAKE); // what has woken us is used up
    }
    processDeregisterQueue();
    if (mayHold) {
      coalescing.waited(ready);
    }
    return report(ready, action);
  }

  /// Waits in the kernel until a key is ready, a thread calls [#wakeup], or the timeout expires. A
  /// report of a descriptor without an interest does not end the wait, because applications
  /// interpret a return without selected keys as a wake-up.
  ///
  /// @param timeoutMillis the timeout, or a negative number to wait indefinitely
  private int awaitBlocked(long timeoutMillis, boolean isReady) throws IOException {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    boolean canSleep = timeoutMillis != 0 && !isReady;
    while (true) {
      boolean sleeps = canSleep && state.compareAndSet(AWAKE, SLEEPING);
      long nanos = sleeps ? remainingNanos(timeoutMillis, deadline) : 0;
      int ready = table.collect(epollWait(nanos));
      if (ready > 0 || remainingNanos(timeoutMillis, deadline) == 0) {
        return ready;
      }
      if (sleeps ? !state.compareAndSet(SLEEPING, AWAKE) : state.get() == WOKEN) {
        return ready;
      }
      canSleep = true;
    }
  }

  /// Waits as [#awaitBlocked] does, but on a virtual thread. The JDK's pollers wait for the epoll
  /// descriptor, as they do for the JDK's own selectors.
  private int awaitParked(long timeoutMillis) throws IOException {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    while (true) {
      int ready = table.collect(epollWait(0));
      if (ready > 0 || remainingNanos(timeoutMillis, deadline) == 0) {
        return ready;
      }
      if (Thread.currentThread().isInterrupted() || !state.compareAndSet(AWAKE, SLEEPING)) {
        return ready;
      }
      park.await(table.epoll().fd(), remainingNanos(timeoutMillis, deadline));
      state.compareAndSet(SLEEPING, AWAKE);
    }
  }

  /// Returns the remaining time of a wait.
  ///
  /// @return the time in nanoseconds, or a negative number if the wait has no timeout
  private static long remainingNanos(long timeoutMillis, long deadline) {
    return timeoutMillis <= 0 ? timeoutMillis : Math.max(deadline - System.nanoTime(), 0);
  }

  private int epollWait(long nanos) throws SysException {
    Epoll epoll = table.epoll();
    int count = epoll.await(table.events(), nanos);
    if (count < 0 && count != -Errno.EINTR) {
      throw SysException.of(-count, "epoll_pwait2", epoll.fd(), nanos);
    }
    return count;
  }

  private int report(int ready, @Nullable Consumer<SelectionKey> action) {
    int updated = 0;
    for (int i = 0; i < ready; i++) {
      SelectionKeyImpl key = table.takeReady(i);
      if (key != null) {
        updated += processReadyEvents(table.readyEvents(i), key, action);
      }
    }
    return updated;
  }

  @Override
  public Selector wakeup() {
    counts.wakeups.getAndIncrement();
    if (state.getAndSet(WOKEN) == SLEEPING) {
      counts.wakeupsWritten.getAndIncrement();
      epoll.wake();
    }
    return this;
  }

  @Override
  protected void setEventOps(SelectionKeyImpl key) {
    table.change(key);
  }

  @Override
  protected void implDereg(SelectionKeyImpl key) {
    table.remove(key);
  }

  @Override
  protected void implClose() {
    table.close(); // no thread waits: this has the selector's lock, or is an action of the select
    epoll.close();
    none.close();
  }

  public WaitCoalescing coalescing() {
    return coalescing;
  }

  ReadinessCounters counts() {
    return counts;
  }
}
