package sluice.vi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import sluice.sys.NativeMemory;

/// What all views of a buffer look at: the buffer, or the copy they got when it was detached. Of
/// the thread that uses the views; an access of another thread during the change fails, and touches
/// nothing.
///
/// The buffer holds it until it is freed. After that only views do, so that it can be seen when the
/// last of them has gone.
final class ViewStorage {
  /// The buffer: it says whether the application may access it now.
  interface Owner {
    /// @throws IllegalStateException when it is not the application's
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

  /// The bytes to access now.
  ///
  /// @throws IllegalStateException when the buffer is the device's
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

  /// Views show a copy from now on; the memory is no longer accessed when this returns.
  void detach() {
    MemorySegment copy = MemorySegment.ofArray(new byte[(int) segment.byteSize()]);
    copy.copyFrom(segment);
    segment = copy;
    owner = null;
    end();
  }

  /// Every access in place fails from now on.
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
