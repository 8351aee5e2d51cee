package sluice.vi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import sluice.sys.NativeMemory;

/// The memory behind all views of a buffer: the buffer, or the copy they got when it was detached.
/// Owned by the thread that uses the views; an access by another thread during the change fails,
/// and touches nothing.
///
/// The buffer holds it until it is freed. After that only views do, so that it becomes unreachable
/// with the last of them.
final class ViewStorage {
  /// The buffer, which knows whether the application may access it now.
  interface Owner {
    /// Checks that the application may access the buffer.
    ///
    /// @throws IllegalStateException if it belongs to the device
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

  /// Returns the memory to access now.
  ///
  /// @throws IllegalStateException if the buffer belongs to the device
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

  /// Makes the views show a copy from now on; the memory is no longer accessed when this returns.
  void detach() {
    MemorySegment copy = MemorySegment.ofArray(new byte[(int) segment.byteSize()]);
    copy.copyFrom(segment);
    segment = copy;
    owner = null;
    end();
  }

  /// Makes every access in place fail from now on.
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
