package sluice.loop.poller;

import static sluice.sys.Errno.EEXIST;
import static sluice.sys.Errno.EINVAL;
import static sluice.sys.Errno.ENOENT;
import static sluice.sys.Errno.ENOSPC;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.channels.Channel;
import org.jspecify.annotations.Nullable;
import sluice.loop.engine.Backend;
import sluice.sys.SysException;

/// A poller that waits for many descriptors at once. Its entries are registered with the kernel
/// instead of being passed as an array with each wait. One thread at a time may call [#await]. Any
/// thread may call all other methods at any time, without waiting for the thread in `await`.
///
/// An entry is level-triggered, which means that each wait reports it as long as it is ready. `add`
/// returns the handle of an entry, which is valid until `remove` and never refers to another entry.
/// A disabled entry remains registered but is not reported. An entry added with [#AUTO_DISABLE] is
/// reported once and then disabled until it is enabled again.
///
/// Changes that are made while no thread waits are submitted together by the next wait. A change
/// that is reverted before then has no cost. Changes made during a wait take effect in that wait.
///
/// **Closing a descriptor.** A descriptor should be removed before it is closed, as with `poll(2)`.
/// If it is closed while it is registered, it is reported at most once more. Its entry remains
/// until it is removed, and other entries are not affected. While the entry remains, the kernel may
/// keep the file open. If the descriptor's number is reused for another file, events may be
/// reported for that file.
///
/// **Errors** are the same for every backend, see [SysException]. If several apply, the first of
/// the following is reported: ENOENT (never added, or removed), EINVAL (unknown event), EEXIST
/// (already registered), ENOSPC (more than `maxEntries`), EBADF, EPERM (a file that cannot be
/// polled, such as a regular file). After [#close], changes throw an [IllegalStateException].
///
/// ```
///  add modify remove            await
///  enable disable ──▶ table ──▶ prepare ─▶ kernel ─▶ collect ──▶ events
///    any thread      (lock)     (lock)   (no lock)   (lock)
/// ```
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `table`, kernel's state | any thread | under `lock` | under `lock` |
/// | `state` | any thread | volatile | compare-and-set |
/// | `waiter` | the awaiting thread | volatile | compare-and-set |
/// | `closed` | any thread | volatile | under `lock` |
///
/// Lifecycle: open → use → close, by any thread. Closing the poller wakes a waiting thread, which
/// then returns 0.
///
/// A poller has 1 to 1 048 576 entries. Its memory grows with the maximum number of entries that
/// were registered at the same time, by about 60 bytes each.
public final class Poller implements AutoCloseable {
  public static final int IN = 1;
  public static final int PRI = 2;
  public static final int OUT = 4;
  public static final int ERR = 8;
  public static final int HUP = 0x10;

  /// The bit for an invalid descriptor. It is never reported, because [#add] rejects a descriptor
  /// that is not open.
  public static final int NVAL = 0x20;

  public static final int RDNORM = 0x40;
  public static final int RDBAND = 0x80;
  public static final int WRNORM = 0x100;
  public static final int WRBAND = 0x200;
  public static final int MSG = 0x400;
  public static final int RDHUP = 0x2000;

  /// A flag that can be combined with the events of an entry. The entry is disabled when it is
  /// reported.
  public static final int AUTO_DISABLE = PollerTable.AUTO_DISABLE;

  /// The maximum number of entries of any poller.
  public static final int MOST_ENTRIES = 1 << 20;

  private static final int EVENTS = 0x27ff;

  private static final int AWAKE = 0;
  private static final int ASLEEP = 1;

  /// The thread was asleep and has been woken to process changes.
  private static final int STIRRED = 2;

  /// The current or the next wait must return.
  private static final int WOKEN = 3;

  private static final VarHandle STATE;
  private static final VarHandle WAITER;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      STATE = lookup.findVarHandle(Poller.class, "state", int.class);
      WAITER = lookup.findVarHandle(Poller.class, "waiter", Thread.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Object lock = new Object();
  private final PollerTable table;
  private final PollerKernel kernel;
  private final String why;
  private volatile int state;
  private volatile @Nullable Thread waiter;
  private volatile boolean closed;

  private Poller(PollerTable table, PollerKernel kernel, String why) {
    this.table = table;
    this.kernel = kernel;
    this.why = why;
  }

  /// Opens a poller.
  ///
  /// @param maxEntries the maximum number of entries, 1 to [#MOST_ENTRIES]
  /// @param backend the backend; [Backend#AUTO] selects epoll, or poll if that is not available;
  ///   [Backend#JDK] is rejected
  /// @throws IOException if the backend is not available; the message states the reason and the fix
  public static Poller open(int maxEntries, Backend backend) throws IOException {
    PollerTable table = table(maxEntries);
    return switch (backend) {
      case AUTO -> openBest(table);
      case IO_URING -> {
        PollerRing ring = new PollerRing(maxEntries);
        yield new Poller(table, new PollerOneShot(table, ring), "asked for");
      }
      case EPOLL -> new Poller(table, new PollerEpoll(table), "asked for");
      case POLL -> new Poller(table, new PollerPoll(table), "asked for");
      case JDK ->
          throw new IOException(
              "no Poller on JDK channels. Why: they give no access to descriptors."
                  + " Fix: use backend epoll or poll, or a java.nio Selector.");
    };
  }

  private static Poller openBest(PollerTable table) throws IOException {
    try {
      String why = "available; io_uring was not found to be faster at readiness";
      return new Poller(table, new PollerEpoll(table), why);
    } catch (SysException e) {
      return new Poller(table, new PollerPoll(table), "epoll not used: " + e.getMessage());
    }
  }

  /// Opens a poller on the given port, which is closed together with the poller.
  ///
  /// @param maxEntries the maximum number of entries, 1 to [#MOST_ENTRIES]
  public static Poller open(int maxEntries, PollerPort port) {
    PollerTable table = table(maxEntries);
    return new Poller(table, new PollerOneShot(table, port), "given");
  }

  private static PollerTable table(int maxEntries) {
    if (maxEntries < 1 || maxEntries > MOST_ENTRIES) {
      throw new IllegalArgumentException(
          "maxEntries must be 1 to " + MOST_ENTRIES + ": " + maxEntries);
    }
    return new PollerTable(maxEntries);
  }

  /// Returns the index of an entry, from 0 to `maxEntries - 1`, for use in tables of the caller. An
  /// index is reused after its entry has been removed.
  public static int index(long handle) {
    return (int) handle;
  }

  /// Returns the name of the backend: `io_uring`, `epoll`, `poll`, or the name of the port.
  public String backend() {
    return kernel.name();
  }

  /// Returns the reason for the choice of this backend as one line of readable text.
  public String why() {
    return why;
  }

  /// Returns the number of entries, including disabled ones.
  public int size() {
    synchronized (lock) {
      return table.size();
    }
  }

  /// Returns the number of system calls made so far, for measurements.
  public long systemCalls() {
    synchronized (lock) {
      return kernel.calls();
    }
  }

  // ---- changes ------------------------------------------------------------------------------

  /// Adds a descriptor, which is initially enabled.
  ///
  /// @param events the requested bits defined by this class, and optionally [#AUTO_DISABLE]; `ERR`
  ///   and `HUP` are always reported
  /// @return the handle of the new entry, which is positive
  /// @throws SysException EBADF, EEXIST, ENOSPC, EPERM, EINVAL
  public long add(int fd, int events) throws SysException {
    long result;
    synchronized (lock) {
      checkOpen();
      result = addLocked(fd, events);
      stir(result > 0);
    }
    if (result == -ENOSPC) {
      throw SysException.of(ENOSPC, "Poller.add", fd, events, "maxEntries=" + table.maxEntries());
    }
    return SysException.check(result, "Poller.add", fd, events);
  }

  /// Adds a channel, which is a [DescriptorChannel] or a channel of the JDK whose descriptor is
  /// accessible.
  ///
  /// @throws IOException as by the other [#add], or if the descriptor is not accessible; the
  ///   message states the fix
  public long add(Channel channel, int events) throws IOException {
    return add(PollerDescriptors.of(channel), events);
  }

  /// Sets the events for which an entry is watched. A disabled entry remains disabled.
  ///
  /// @param events the events, as for [#add]
  /// @throws SysException ENOENT, EINVAL
  public void modify(long handle, int events) throws SysException {
    int result;
    synchronized (lock) {
      checkOpen();
      result = modifyLocked(handle, events);
      stir(result == 0);
    }
    SysException.check(result, "Poller.modify", handle, events);
  }

  /// Removes an entry. It is never reported again, and its handle becomes invalid.
  ///
  /// @throws SysException ENOENT
  public void remove(long handle) throws SysException {
    int result;
    synchronized (lock) {
      checkOpen();
      result = removeLocked(handle);
      stir(result == 0);
    }
    SysException.check(result, "Poller.remove", handle);
  }

  /// Enables an entry, which re-arms an auto-disabled one. Like all hot-path methods, this method
  /// returns an error instead of throwing an exception, because another thread may have removed the
  /// entry.
  ///
  /// @return 0 or -ENOENT
  public int enable(long handle) {
    synchronized (lock) {
      checkOpen();
      int result = enableLocked(handle, true);
      stir(result == 0);
      return result;
    }
  }

  /// Disables an entry, which remains registered. Waits that return later do not report it.
  ///
  /// @return 0 or -ENOENT
  public int disable(long handle) {
    synchronized (lock) {
      checkOpen();
      return enableLocked(handle, false);
    }
  }

  /// Sets if an entry is disabled when it is reported, as if it had been added with
  /// [#AUTO_DISABLE].
  ///
  /// @return 0 or -ENOENT
  public int autoDisable(long handle, boolean once) {
    synchronized (lock) {
      checkOpen();
      int slot = table.slot(handle);
      if (slot < 0) {
        return -ENOENT;
      }
      table.auto(slot, once);
      changed(slot);
      return 0;
    }
  }

  /// Applies an array of changes in order. A failed change does not affect the others.
  ///
  /// @return the number of failed changes; see [PollerChanges#result]
  public int control(PollerChanges changes) {
    int failed = 0;
    synchronized (lock) {
      checkOpen();
      for (int i = 0; i < changes.count(); i++) {
        long result = apply(changes.kind(i), changes.target(i), changes.events(i));
        changes.result(i, result);
        failed += result < 0 ? 1 : 0;
      }
      stir(failed < changes.count());
    }
    return failed;
  }

  private long apply(byte kind, long target, int events) {
    return switch (kind) {
      case PollerChanges.ADD -> addLocked((int) target, events);
      case PollerChanges.MODIFY -> modifyLocked(target, events);
      case PollerChanges.REMOVE -> removeLocked(target);
      case PollerChanges.ENABLE -> enableLocked(target, true);
      default -> enableLocked(target, false);
    };
  }

  /// Returns true if the handle refers to an entry.
  public boolean isMember(long handle) {
    synchronized (lock) {
      return table.slot(handle) >= 0;
    }
  }

  /// Returns the handle of a registered descriptor, or 0 if it is not registered.
  public long handleOf(int fd) {
    synchronized (lock) {
      int slot = table.slotOf(fd);
      return slot < 0 ? 0 : table.handle(slot);
    }
  }

  /// Returns the events for which an entry is watched, including [#AUTO_DISABLE], or 0 if there is
  /// no such entry.
  public int wanted(long handle) {
    synchronized (lock) {
      int slot = table.slot(handle);
      return slot < 0 ? 0 : table.wanted(slot);
    }
  }

  private long addLocked(int fd, int events) {
    if (badEvents(events)) {
      return -EINVAL;
    }
    if (table.slotOf(fd) >= 0) {
      return -EEXIST;
    }
    if (table.isFull()) {
      return -ENOSPC;
    }
    int result = kernel.check(fd); // last, as epoll's answer to the addition is
    if (result < 0) {
      return result;
    }
    int slot = table.take(fd, events);
    result = kernel.added(slot);
    if (result < 0) {
      table.give(slot);
      return result;
    }
    return table.handle(slot);
  }

  private int modifyLocked(long handle, int events) {
    int slot = table.slot(handle);
    if (badEvents(events) || slot < 0) {
      return slot < 0 ? -ENOENT : -EINVAL;
    }
    table.want(slot, events);
    changed(slot);
    return 0;
  }

  private int removeLocked(long handle) {
    int slot = table.slot(handle);
    if (slot < 0) {
      return -ENOENT;
    }
    kernel.removed(slot);
    table.give(slot);
    return 0;
  }

  private int enableLocked(long handle, boolean enabled) {
    int slot = table.slot(handle);
    if (slot < 0) {
      return -ENOENT;
    }
    if (table.isEnabled(slot) != enabled) {
      table.enable(slot, enabled);
      changed(slot);
    }
    return 0;
  }

  private static boolean badEvents(int events) {
    return (events & ~(EVENTS | AUTO_DISABLE)) != 0;
  }

  private void changed(int slot) {
    kernel.changed(slot, state != AWAKE);
  }

  /// Interrupts a wait that has to process changes that were just made.
  private void stir(boolean needed) {
    if (needed && kernel.interrupts() && STATE.compareAndSet(this, ASLEEP, STIRRED)) {
      kernel.wake();
    }
  }

  // ---- waiting ------------------------------------------------------------------------------

  /// Waits until an entry is ready, [#wakeup] is called, or the timeout expires. The wait continues
  /// after an interruption by a signal (EINTR). No memory is allocated once `into` and the table
  /// have reached their sizes.
  ///
  /// @param into receives the ready entries
  /// @param max the maximum number of entries to report, at least 1; further limited by the
  ///   capacity of `into`. Entries that did not fit are reported first by the next wait
  /// @param timeoutNanos the maximum time to wait; 0 does not wait, and a negative value waits
  ///   without limit
  /// @return the number of entries reported; 0 if the timeout has expired, after a wake-up, or if
  ///   the poller was closed during the wait
  /// @throws IllegalStateException if another thread is waiting, or the poller is closed
  public int await(PollerEvents into, int max, long timeoutNanos) {
    if (max < 1) {
      throw new IllegalArgumentException("max must be at least 1: " + max);
    }
    enter();
    try {
      return waitFor(into, Math.min(max, into.capacity()), timeoutNanos);
    } finally {
      waiter = null;
      if (closed) {
        synchronized (lock) {
          lock.notifyAll();
        }
      }
    }
  }

  private void enter() {
    if (!WAITER.compareAndSet(this, null, Thread.currentThread())) {
      throw new IllegalStateException("one thread at a time may await; now it is " + waiter);
    }
    if (closed) {
      waiter = null;
      checkOpen();
    }
  }

  private int waitFor(PollerEvents into, int max, long timeoutNanos) {
    into.clear();
    long start = timeoutNanos > 0 ? kernel.nanos() : 0;
    long left = timeoutNanos;
    while (true) {
      long wait = left;
      synchronized (lock) {
        if (closed) {
          return 0;
        }
        kernel.prepare();
        if (left == 0 || !STATE.compareAndSet(this, AWAKE, ASLEEP)) {
          wait = 0; // woken beforehand
        }
      }
      kernel.await(max, wait);
      boolean woken;
      synchronized (lock) {
        woken = (int) STATE.getAndSet(this, AWAKE) == WOKEN;
        kernel.collect(into, max);
      }
      if (into.count() > 0 || woken || timeoutNanos == 0) {
        return into.count();
      }
      if (timeoutNanos > 0) {
        left = timeoutNanos - (kernel.nanos() - start);
        if (left <= 0) {
          return 0;
        }
      }
    }
  }

  /// Ends the current [#await], or the next one if no thread is waiting, which then returns the
  /// ready entries without waiting. A system call is only made if a thread is waiting and has not
  /// been woken yet.
  public void wakeup() {
    if (state != WOKEN && (int) STATE.getAndSet(this, WOKEN) == ASLEEP) {
      synchronized (lock) {
        if (!closed) {
          kernel.wake();
        }
      }
    }
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("the poller is closed");
    }
  }

  /// Closes the poller but not its descriptors. Waits until a thread in [#await] has returned.
  /// Idempotent.
  @Override
  public void close() {
    boolean interrupted = false;
    synchronized (lock) {
      if (closed) {
        return;
      }
      closed = true;
      while (waiter != null) {
        kernel.wake();
        try {
          lock.wait(100);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      kernel.close();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
