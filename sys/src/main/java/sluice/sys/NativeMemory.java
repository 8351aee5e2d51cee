package sluice.sys;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import sluice.sys.call.Kernel;

/// Allocates memory from the C heap with `calloc(3)` and `free(3)`. Blocks are aligned to at least
/// 16 bytes.
///
/// This class is thread-safe. Segments are bounded but have no scope. The caller that frees a block
/// must ensure that it is no longer used by Java code or by the kernel. This class is used only by
/// `sluice.memory`, which ensures this by counting references.
public final class NativeMemory {
  private static final MethodHandle CALLOC = Kernel.link("calloc");
  private static final MethodHandle FREE = Kernel.link("free");

  /// Receives `errno`, which is never read because calloc can fail for only one reason.
  private static final MemorySegment ERRNO = Kernel.newErrno(Arena.global());

  private NativeMemory() {}

  /// Allocates zeroed memory.
  ///
  /// @param bytes the size, at least 1
  /// @throws OutOfMemoryError if the C heap is exhausted
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

  /// Releases unused pages of the C heap to the operating system (`malloc_trim(3)`). This takes
  /// milliseconds per 100 MB of heap, during which other threads that allocate memory may be
  /// blocked. It has no effect if the C library does not provide the function.
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

  /// Returns an alias of the given memory with another lifetime. Accesses through the alias fail
  /// after `lifetime` has been closed, which does not free the memory.
  ///
  /// @param memory native memory, which must outlive `lifetime`
  public static MemorySegment alias(MemorySegment memory, Arena lifetime) {
    if (!memory.isNative()) {
      throw new IllegalArgumentException("only native memory has an alias");
    }
    MemorySegment same =
        MemorySegment.ofAddress(memory.address()).reinterpret(memory.byteSize(), lifetime, null);
    return memory.isReadOnly() ? same.asReadOnly() : same;
  }

  /// Frees memory that was returned by [#allocate]. The caller must ensure that it is no longer
  /// used.
  public static void free(MemorySegment memory) {
    try {
      // free does not return a value, so the content of the result register is undefined.
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
