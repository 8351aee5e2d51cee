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
/// Between post and completion a buffer is owned by the device. Posting it again, accessing it
/// through a view, and closing it are rejected, so that ownership acts as the device's lease on the
/// memory. Only one thread at a time may register or free the buffer or use its views. The device
/// may return a buffer on a different thread than the one on which it was posted.
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
/// Limits: the total size of all buffers of a process is limited by the system property
/// `sluice.vi.memory` in bytes, which is 1 GiB by default.
public final class ViBuffer implements AutoCloseable {
  private static final Account ACCOUNT =
      new Account("buffers of VIs", Long.getLong("sluice.vi.memory", 1L << 30));
  private static final Cleaner CLEANER =
      Cleaner.create(Thread.ofPlatform().daemon().name("sluice-vi-free").factory());

  private final Block block;
  private final MemorySegment memory;
  private final int sizeBytes;

  /// Set while the device owns the buffer, and permanently after closing.
  private final BiasedFlag lent = new BiasedFlag();

  private volatile boolean closed;
  private volatile @Nullable Runnable callback;
  private boolean unreachable;
  private @Nullable ViewStorage storage;
  private @Nullable ViBufferTicket registration;

  /// Allocates zeroed memory that is aligned to a cache line.
  ///
  /// @throws OutOfMemoryError if the total size of all buffers would exceed their limit
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

  /// Returns the total size in bytes of all buffers of this process.
  static long usedBytes() {
    return ACCOUNT.usedBytes();
  }

  public int sizeBytes() {
    return sizeBytes;
  }

  /// Returns the memory for use by devices, which is bounded but has no scope. It must only be
  /// accessed while the device owns the buffer.
  MemorySegment memory() {
    return memory;
  }

  // ---- ownership -----------------------------------------------------------------------------

  /// Passes the buffer to the device.
  ///
  /// @throws IllegalStateException if the device already owns it, or it is being freed or closed
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

  /// Checks that the buffer is owned by the application.
  ///
  /// @throws IllegalStateException if it is not
  void checkApplication() {
    if (lent.isTaken()) {
      throw new IllegalStateException(
          closed
              ? "the buffer is closed"
              : "the buffer is the device's until what it was posted for completes");
    }
  }

  // ---- registration --------------------------------------------------------------------------

  /// Registers the buffer with the device of a VI. The buffer can then only be posted to this VI.
  ///
  /// @param vi a [Vi]
  /// @return the ticket to post
  /// @throws ViException if the device has insufficient resources
  /// @throws IllegalStateException if the buffer is already registered
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

  /// Unregisters the buffer. It can then be registered with the same or another VI.
  ///
  /// @param ticket the ticket that the last call of [#register] returned
  /// @throws IllegalStateException if the device owns the buffer, or this ticket is not its
  ///   registration
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

  /// Returns a view that accesses the buffer in place as bytes.
  public ViBytes bytes() {
    return new ViBytes(storage());
  }

  /// Returns a view that accesses the buffer in place as 32-bit integers in native byte order.
  public ViInts ints() {
    return new ViInts(storage());
  }

  /// Returns a view that accesses the buffer in place as 64-bit integers in native byte order.
  public ViLongs longs() {
    return new ViLongs(storage());
  }

  /// Returns a view that accesses the buffer in place as floating-point numbers.
  public ViDoubles doubles() {
    return new ViDoubles(storage());
  }

  /// Returns a view of the buffer as a sequence of records with components of primitive types.
  /// Records are read and written individually, without an intermediate array.
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

  /// Frees the buffer so that it can be reused for another purpose. `whenFree` is invoked once when
  /// the device does not own the buffer and none of its views is reachable any more. From then on
  /// the buffer can be used again. The callback runs on the thread that completes the last
  /// descriptor or on the thread `sluice-vi-free`, and should be short.
  ///
  /// @throws IllegalStateException if the buffer is already being freed, or is closed
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

  /// Frees the buffer immediately for another purpose. From now on all its views access a copy in
  /// the heap. This requires the copy and a handshake with all threads (tens of microseconds). If
  /// another thread uses a view concurrently, its access fails.
  ///
  /// @throws IllegalStateException if the device owns the buffer
  public synchronized void detach() {
    checkApplication();
    ViewStorage views = storage;
    storage = null;
    if (views != null) {
      views.detach();
    }
  }

  /// Closes all views, unregisters the buffer and releases the memory. Idempotent.
  ///
  /// @throws IllegalStateException if the device owns the buffer
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
