package sluice.vi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import sluice.sys.NativeMemory;

/// The memory that all views of a buffer access, which is the buffer itself or the copy that was
/// created when it was detached. It is owned by the thread that uses the views. An access by
/// another thread during the change fails without accessing any memory.
///
/// The buffer refers to this object until it is freed. After that only the views refer to it, so
/// that it becomes unreachable together with the last view.
final class ViewStorage {
  /// The buffer, which determines if the application may currently access it.
  interface Owner {
    /// Checks that the application may access the buffer.
    ///
    /// @throws IllegalStateException if the device owns the buffer
    void checkApplication();
  }

  private static final long NAP_NANOS = 20_000;

  private final Arena lifetime = Arena.ofShared();
  private MemorySegment segment;
  private @Nullable Owner owner;

  ViewStorage(MemorySegment memory, Owner owner) {
    this.owner = owner;
    segment = NativeMemory.alias(memory, lifetime);
  }

  /// Returns the memory to access.
  ///
  /// @throws IllegalStateException if the device owns the buffer
  MemorySegment use() {
    Owner inPlace = owner;
    if (inPlace != null) {
      inPlace.checkApplication();
    }
    return segment;
  }

  long sizeBytes() {
    return segment.byteSize();
  }

  /// Makes the views access a copy from now on. The original memory is no longer accessed when this
  /// method returns.
  void detach() {
    MemorySegment copy = MemorySegment.ofArray(new byte[(int) segment.byteSize()]);
    copy.copyFrom(segment);
    segment = copy;
    owner = null;
    end();
  }

  /// Makes every further access through the views fail.
  void end() {
    while (lifetime.scope().isAlive()) {
      try {
        lifetime.close();
      } catch (IllegalStateException inUse) {
        LockSupport.parkNanos(NAP_NANOS); // a copy by another thread, which is short
      }
    }
  }
}
