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

/// The views that a socket has given to its application: at most one of received bytes and one to
/// fill. Guarded by the lock of its [SharedStream].
///
/// The thread that owns a view ends it by unbinding, which costs nothing. If another thread ends
/// it, the owner may be in the middle of an access. So all views go through a lifetime of the
/// socket: closing that lifetime waits until the access is over. Only then is the lease released.
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

  /// The chunk that was shown last, mapped in the socket's lifetime. Cached, because the same few
  /// chunks recur.
  private @Nullable Block aliased;

  private MemorySegment alias = MemorySegment.NULL;

  private @Nullable WritableViewBinder writing;
  private @Nullable Thread writer;
  private @Nullable Block written;

  /// The buffer that was filled last, mapped in the socket's lifetime.
  private @Nullable Block writeAliased;

  private MemorySegment writeAlias = MemorySegment.NULL;

  /// Shows bytes to the calling thread, and ends its previous view. The caller's lease passes to
  /// this object.
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

  /// Gives the calling thread bytes to fill, and ends the previous view. The caller's lease passes
  /// to this object.
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

  /// Ends the view that is being filled, and passes its block and the lease to the caller.
  ///
  /// @throws IllegalStateException if there is no such view, or another thread fills it
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

  /// Ends the view of received bytes, if there is one.
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

  /// Ends the view to fill, if there is one.
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

  /// Ends both views.
  void end() {
    endRead();
    endWrite();
  }

  /// Waits until a running access is over and prevents further ones. Later views get a new
  /// lifetime.
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
