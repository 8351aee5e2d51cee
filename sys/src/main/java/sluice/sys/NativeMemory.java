package sluice.sys;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import sluice.sys.call.Kernel;

/// The C heap: `calloc(3)` and `free(3)`. Blocks are aligned to at least 16 bytes.
///
/// Safe for use by any thread. Segments are bounded but have no scope: the caller that frees a
/// block must ensure that neither Java code nor the kernel uses it any more. Only `sluice.memory`
/// calls this class, and ensures it with reference counts.
public final class NativeMemory {
  private static final MethodHandle CALLOC = Kernel.link("calloc");
  private static final MethodHandle FREE = Kernel.link("free");

  /// Receives `errno`, which is never read, because calloc fails for one reason only.
  private static final MemorySegment ERRNO = Kernel.newErrno(Arena.global());

  private NativeMemory() {}

  /// Allocates zeroed memory.
  ///
  /// @param bytes size, at least 1
  /// @throws OutOfMemoryError if the C heap has no room
  public static MemorySegment allocate(long bytes) {
    if (bytes < 1) {
      throw new IllegalArgumentException("bytes must be at least 1: " + bytes);
    }
    try {
      long address =
          (long) CALLOC.invokeExact(ERRNO, 1L, bytes, 0L, 0L, 0L, 0L, 0L, MemorySegment.NULL);
      if (address == 0) {
        throw new OutOfMemoryError("calloc of " + bytes + " bytes");
      }
      return MemorySegment.ofAddress(address).reinterpret(bytes);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  /// Returns unused pages of the C heap to the system (`malloc_trim(3)`). Takes milliseconds per
  /// 100 MB of heap, in which other threads that allocate may wait. Does nothing if the C library
  /// lacks the function.
  public static void trim() {
    Kernel.linkIfThere("malloc_trim").ifPresent(NativeMemory::trim);
  }

  private static void trim(MethodHandle function) {
    try {
      long _ = (long) function.invokeExact(ERRNO, 0L, 0L, 0L, 0L, 0L, 0L, 0L, MemorySegment.NULL);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  /// Returns an alias of memory with another lifetime: access through it ends when `lifetime` is
  /// closed, which does not free the memory.
  ///
  /// @param memory native; the caller ensures that it outlives `lifetime`
  public static MemorySegment alias(MemorySegment memory, Arena lifetime) {
    if (!memory.isNative()) {
      throw new IllegalArgumentException("only native memory has an alias");
    }
    MemorySegment same =
        MemorySegment.ofAddress(memory.address()).reinterpret(memory.byteSize(), lifetime, null);
    return memory.isReadOnly() ? same.asReadOnly() : same;
  }

  /// Frees memory from [#allocate]. The caller ensures that nothing uses it any more.
  public static void free(MemorySegment memory) {
    try {
      // free returns nothing: the content of the result register is undefined.
      long _ =
          (long)
              FREE.invokeExact(ERRNO, memory.address(), 0L, 0L, 0L, 0L, 0L, 0L, MemorySegment.NULL);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }
}
