package sluice.sys;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import sluice.sys.call.Kernel;

/// The C heap: `calloc(3)` and `free(3)`. Blocks are at least 16-byte aligned.
///
/// Any thread may call. Segments are bounded but have no scope: the caller that frees a block
/// proves that nothing, Java or kernel, still uses it. Only `sluice.memory` calls this, and proves
/// it by reference counts.
public final class NativeMemory {
  private static final MethodHandle CALLOC = Kernel.link("calloc");
  private static final MethodHandle FREE = Kernel.link("free");

  /// Where `errno` goes, which is never read: calloc has one way to fail.
  private static final MemorySegment ERRNO = Kernel.newErrno(Arena.global());

  private NativeMemory() {}

  /// Allocates zeroed memory.
  ///
  /// @param bytes size, at least 1
  /// @throws OutOfMemoryError when the C heap has no room
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

  /// Gives the system the pages of the C heap that hold nothing (`malloc_trim(3)`): milliseconds
  /// for each 100 MB of it, in which other threads that allocate may wait. Does nothing where the C
  /// library has no such function.
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

  /// The same bytes under another lifetime: access through the result ends when `lifetime` is
  /// closed, which does not free them.
  ///
  /// @param memory native; the caller proves that it outlives `lifetime`
  public static MemorySegment alias(MemorySegment memory, Arena lifetime) {
    if (!memory.isNative()) {
      throw new IllegalArgumentException("only native memory has an alias");
    }
    MemorySegment same =
        MemorySegment.ofAddress(memory.address()).reinterpret(memory.byteSize(), lifetime, null);
    return memory.isReadOnly() ? same.asReadOnly() : same;
  }

  /// Returns memory obtained from [#allocate]. The caller proves that nothing uses it any more.
  public static void free(MemorySegment memory) {
    try {
      // free returns nothing: what the register holds has no meaning.
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
