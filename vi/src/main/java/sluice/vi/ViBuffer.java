package sluice.vi;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.lang.ref.Cleaner;
import org.jspecify.annotations.Nullable;
import sluice.memory.Account;
import sluice.memory.block.Block;
import sluice.vi.device.BiasedFlag;

/// Memory that a device sends from and receives into, outside the heap (Chang and von Eicken,
/// "Interfacing Java to the Virtual Interface Architecture", section 4).
///
/// Between post and completion a buffer belongs to the device: a second post, an access through a
/// view and closing are refused, so that the owner is the device's lease on the memory.
/// Registration, views and freeing are for one thread at a time; a device may give a buffer back in
/// another thread than that which posted it.
///
/// ```
///            post                      free(callback)
///  +------------------> DEVICE       APPLICATION ----> waits until the device has given it back
///  |                      |               ^            and no view can be reached, runs the
///  APPLICATION <----------+               +----------- callback: reusable
///  |          completion
///  +---- close ----> CLOSED (views end)   detach: views get a copy in the heap; reusable at once
/// ```
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `lent` | the posting thread, the completing thread | see [BiasedFlag] | see [BiasedFlag] |
/// | `closed` | the closing thread | volatile | volatile, under the monitor |
/// | `callback` | the freeing thread, the running one | volatile | volatile, under the monitor |
/// | `storage`, `unreachable`, `registration` | the application, `CLEANER` | under the monitor | same |
///
/// Limits: all buffers of a process together hold at most the bytes of the system property
/// `sluice.vi.memory`, 1 GiB by default.
public final class ViBuffer implements AutoCloseable {
  private static final Account ACCOUNT =
      new Account("buffers of VIs", Long.getLong("sluice.vi.memory", 1L << 30));
  private static final Cleaner CLEANER =
      Cleaner.create(Thread.ofPlatform().daemon().name("sluice-vi-free").factory());

  private final Block block;
  private final MemorySegment memory;
  private final int sizeBytes;

  /// Taken while the device has the buffer, and forever after closing.
  private final BiasedFlag lent = new BiasedFlag();

  private volatile boolean closed;
  private volatile @Nullable Runnable callback;
  private boolean unreachable;
  private @Nullable ViewStorage storage;
  private @Nullable ViBufferTicket registration;

  /// Allocates zeroed memory, aligned to a cache line.
  ///
  /// @throws OutOfMemoryError if all buffers together would exceed their limit
  public ViBuffer(int sizeInBytes) {
    Block allocated = Block.allocate(ACCOUNT, sizeInBytes);
    if (allocated == null) {
      throw new OutOfMemoryError(
          ACCOUNT + "; " + sizeInBytes + " more do not fit. Fix: -Dsluice.vi.memory=BYTES");
    }
    block = allocated;
    memory = block.segment();
    sizeBytes = sizeInBytes;
  }

  /// Returns the number of bytes that all buffers of this process hold now.
  static long usedBytes() {
    return ACCOUNT.usedBytes();
  }

  public int sizeBytes() {
    return sizeBytes;
  }

  /// Returns the memory for devices: bounded, but without a scope. Only while the buffer belongs to
  /// the device.
  MemorySegment memory() {
    return memory;
  }

  // ---- ownership -----------------------------------------------------------------------------

  /// Passes the buffer to the device.
  ///
  /// @throws IllegalStateException if the device has it already, or the buffer is being freed or
  ///   closed
  void claim() {
    if (callback != null) {
      throw new IllegalStateException(
          "the buffer is being freed. Fix: post it again after the callback has run");
    }
    if (!lent.tryTake()) {
      checkApplication();
      throw new IllegalStateException("the buffer was posted by another thread just now");
    }
  }

  /// Returns the buffer to the application.
  void giveBack() {
    lent.free();
    VarHandle.releaseFence(); // the compiler keeps the order; the barrier is paid by `free`
    if (callback != null) {
      runCallback();
    }
  }

  /// Checks that the buffer belongs to the application.
  ///
  /// @throws IllegalStateException if it does not
  void checkApplication() {
    if (lent.isTaken()) {
      throw new IllegalStateException(
          closed
              ? "the buffer is closed"
              : "the buffer is the device's until what it was posted for completes");
    }
  }

  // ---- registration --------------------------------------------------------------------------

  /// Registers the buffer with the device of a VI. It can then be posted to this VI only.
  ///
  /// @param vi a [Vi]
  /// @return the ticket to be posted
  /// @throws ViException if the device has no room for it
  /// @throws IllegalStateException if it is registered already
  public synchronized ViBufferTicket register(Registrar vi, ViBufferAttributes attributes)
      throws ViException {
    checkApplication();
    if (registration != null) {
      throw new IllegalStateException(
          "the buffer is registered already. Fix: unregister it, then register it with another VI");
    }
    long key = vi.register(memory, attributes == ViBufferAttributes.READ_WRITE);
    ViBufferTicket ticket = new ViBufferTicket(this, vi, attributes, key);
    registration = ticket;
    return ticket;
  }

  /// Ends the registration. The buffer can then be registered with this VI again, or with another.
  ///
  /// @param ticket the result of the last [#register]
  /// @throws IllegalStateException if the buffer belongs to the device, or is not registered by
  ///   this ticket
  public synchronized void unregister(ViBufferTicket ticket) {
    checkApplication();
    if (registration != ticket) {
      throw new IllegalStateException("the buffer has no such registration");
    }
    endRegistration();
  }

  private void endRegistration() {
    ViBufferTicket ticket = registration;
    registration = null;
    if (ticket != null) {
      ticket.end();
      ticket.registeredWith().unregister(ticket.key());
    }
  }

  // ---- views ---------------------------------------------------------------------------------

  /// Returns a view of the buffer as bytes, in place.
  public ViBytes bytes() {
    return new ViBytes(storage());
  }

  /// Returns a view of the buffer as 32-bit numbers in native byte order.
  public ViInts ints() {
    return new ViInts(storage());
  }

  /// Returns a view of the buffer as 64-bit numbers in native byte order.
  public ViLongs longs() {
    return new ViLongs(storage());
  }

  /// Returns a view of the buffer as floating-point numbers.
  public ViDoubles doubles() {
    return new ViDoubles(storage());
  }

  /// Returns a view of the buffer as a sequence of records with components of primitive types.
  /// Records are read and written one by one, without an intermediate array.
  public <R extends Record> ViRecords<R> records(Class<R> type) {
    return new ViRecords<>(storage(), type);
  }

  /// Returns a view of the buffer for graphs of objects, which are written and read in place.
  ///
  /// @throws IllegalArgumentException if a component of the type cannot be stored in a buffer
  public <R extends Record> ViGraph<R> graph(Class<R> type) {
    return new ViGraph<>(storage(), type);
  }

  private synchronized ViewStorage storage() {
    checkApplication();
    if (callback != null) {
      throw new IllegalStateException("the buffer is being freed");
    }
    ViewStorage now = storage;
    if (now == null) {
      now = new ViewStorage(memory, this::checkApplication);
      storage = now;
    }
    return now;
  }

  // ---- the end -------------------------------------------------------------------------------

  /// Frees the buffer for other use: `whenFree` runs once, when the device does not have it and no
  /// view of it is reachable any more. From then on it can be used again. The callback runs on the
  /// thread that completes the last descriptor or on the thread `sluice-vi-free`, and should be
  /// short.
  ///
  /// @throws IllegalStateException if the buffer is being freed already, or is closed
  public void free(Runnable whenFree) {
    synchronized (this) {
      if (closed || callback != null) {
        throw new IllegalStateException("the buffer is closed, or is being freed already");
      }
      ViewStorage views = storage;
      storage = null; // only views hold it now
      unreachable = views == null;
      callback = whenFree;
      if (views != null) {
        var _ = CLEANER.register(views, this::viewsAreGone);
      }
    }
    BiasedFlag.barrier(); // between the callback and the owner: see giveBack
    runCallback();
  }

  private void viewsAreGone() {
    synchronized (this) {
      unreachable = true;
    }
    runCallback();
  }

  private void runCallback() {
    Runnable run;
    synchronized (this) {
      run = callback;
      if (run == null || !unreachable || lent.isTaken()) {
        return;
      }
      callback = null;
      unreachable = false;
    }
    run.run();
  }

  /// Frees the buffer for other use at once: all its views show a copy in the heap from now on.
  /// Costs the copy and a handshake with all threads (tens of microseconds). No other thread may
  /// use the views meanwhile: its access fails.
  ///
  /// @throws IllegalStateException if the buffer belongs to the device
  public synchronized void detach() {
    checkApplication();
    ViewStorage views = storage;
    storage = null;
    if (views != null) {
      views.detach();
    }
  }

  /// Ends the views and the registration and returns the memory. Idempotent.
  ///
  /// @throws IllegalStateException if the buffer belongs to the device
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    if (!lent.tryTake()) {
      checkApplication();
      throw new IllegalStateException("the buffer was posted by another thread just now");
    }
    closed = true;
    callback = null;
    endRegistration();
    ViewStorage views = storage;
    storage = null;
    if (views != null) {
      views.end();
    }
    block.release();
  }
}
