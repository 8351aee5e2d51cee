package sluice.isocket;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import sluice.memory.View;
import sluice.memory.ViewBinder;
import sluice.memory.WritableView;
import sluice.memory.WritableViewBinder;
import sluice.memory.block.Block;
import sluice.sys.NativeMemory;

/// The views that a socket has returned to its application. At most one view of received bytes and
/// one writable view exist at a time. Guarded by the lock of its [SharedStream].
///
/// The thread that owns a view invalidates it by unbinding it, which has no cost. If another thread
/// invalidates the view, the owner may be in the middle of an access. Therefore all views are bound
/// to a lifetime of the socket. Closing that lifetime waits until the access has completed, and
/// only then is the lease released.
///
/// | ended by | effect |
/// |---|---|
/// | the thread of the view | unbound, then released |
/// | another thread | lifetime closed, then released |
final class FastViews {
  private @Nullable Arena readLifetime;
  private @Nullable Arena writeLifetime;

  private @Nullable ViewBinder reading;
  private @Nullable Thread reader;
  private @Nullable Block read;

  /// The most recently shown chunk, mapped in the socket's lifetime. It is cached because the same
  /// few chunks recur.
  private @Nullable Block aliased;

  private MemorySegment alias = MemorySegment.NULL;

  private @Nullable WritableViewBinder writing;
  private @Nullable Thread writer;
  private @Nullable Block written;

  /// The most recently filled buffer, mapped in the socket's lifetime.
  private @Nullable Block writeAliased;

  private MemorySegment writeAlias = MemorySegment.NULL;

  /// Returns a view of received bytes for the calling thread and invalidates the previous one. The
  /// caller's lease is transferred to this object.
  View show(Block block, long offset, int length) {
    endRead();
    Thread here = Thread.currentThread();
    ViewBinder binder = reading;
    if (binder == null) {
      binder = new ViewBinder(here);
      reading = binder;
    } else {
      binder.renew(here); // an old view must not show the next message
    }
    reader = here;
    if (block != aliased) {
      alias = NativeMemory.alias(block.segment(), readLifetime());
      aliased = block;
    }
    read = block;
    return binder.bind(alias, offset, length);
  }

  /// Returns a writable view for the calling thread and invalidates the previous one. The caller's
  /// lease is transferred to this object.
  WritableView fill(Block block, int offset, int length) {
    endWrite();
    Thread here = Thread.currentThread();
    WritableViewBinder binder = writing;
    if (binder == null) {
      binder = new WritableViewBinder(here);
      writing = binder;
    } else {
      binder.renew(here);
    }
    writer = here;
    written = block;
    if (block != writeAliased) {
      writeAlias = NativeMemory.alias(block.segment(), writeLifetime());
      writeAliased = block;
    }
    return binder.bind(writeAlias, offset, length);
  }

  /// Invalidates the writable view and returns its block. The lease is transferred to the caller.
  ///
  /// @throws IllegalStateException if there is no writable view, or if it belongs to another thread
  Block filled(int length) {
    Block block = written;
    WritableViewBinder binder = writing;
    if (block == null || binder == null || !isThread(writer, Thread.currentThread())) {
      throw new IllegalStateException("this thread has reserved nothing: writeFast comes first");
    }
    int reserved = binder.view().length();
    if (length < 0 || length > reserved) {
      throw new IndexOutOfBoundsException(length + " of " + reserved + " bytes reserved");
    }
    binder.unbind();
    written = null;
    return block;
  }

  /// Invalidates the view of received bytes, if there is one.
  void endRead() {
    Block block = read;
    if (block == null) {
      return;
    }
    if (isThread(reader, Thread.currentThread()) && reading != null) {
      reading.unbind();
    } else {
      endReadLifetime();
    }
    read = null;
    block.release();
  }

  /// Invalidates the writable view, if there is one.
  void endWrite() {
    Block block = written;
    if (block == null) {
      return;
    }
    if (isThread(writer, Thread.currentThread()) && writing != null) {
      writing.unbind();
    } else if (writeLifetime != null) {
      writeLifetime.close();
      writeLifetime = null;
      writeAliased = null;
      writeAlias = MemorySegment.NULL;
    }
    written = null;
    block.release();
  }

  /// Invalidates both views.
  void end() {
    endRead();
    endWrite();
  }

  /// Waits until an access in progress has completed and prevents further accesses. Views created
  /// later use a new lifetime.
  private void endReadLifetime() {
    aliased = null;
    alias = MemorySegment.NULL;
    if (readLifetime != null) {
      readLifetime.close();
      readLifetime = null;
    }
  }

  private Arena readLifetime() {
    Arena made = readLifetime;
    if (made == null) {
      made = Arena.ofShared();
      readLifetime = made;
    }
    return made;
  }

  private Arena writeLifetime() {
    Arena made = writeLifetime;
    if (made == null) {
      made = Arena.ofShared();
      writeLifetime = made;
    }
    return made;
  }

  @SuppressWarnings("ReferenceEquality") // a thread is itself only
  private static boolean isThread(@Nullable Thread one, Thread other) {
    return one == other;
  }

  /// Returns true if a view of received bytes holds a lease.
  boolean isReading() {
    return read != null;
  }
}
