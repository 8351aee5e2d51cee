package sluice.sys.zstd;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;
import sluice.sys.Errno;

/// Compression by the C library libzstd (RFC 8878), found when it is first asked for. Stateless:
/// any thread may call, but not a loop's, as a megabyte takes milliseconds.
///
/// ```c
/// size_t ZSTD_compress(void *dst, size_t dstCapacity, const void *src, size_t srcSize, int level);
/// unsigned ZSTD_isError(size_t code);
/// ```
public final class Zstd {
  /// The strongest level that is of use for a megabyte.
  public static final int MOST_LEVEL = 19;

  private static final String LIBRARY = System.getProperty("sluice.libzstd", "libzstd.so.1");

  private final MethodHandle compress;
  private final MethodHandle isError;

  private Zstd(SymbolLookup library) {
    Linker linker = Linker.nativeLinker();
    compress =
        linker.downcallHandle(
            library.findOrThrow("ZSTD_compress"),
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT));
    isError =
        linker.downcallHandle(
            library.findOrThrow("ZSTD_isError"), FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
  }

  /// The library, or why there is none.
  private record Found(@Nullable Zstd library, String why) {
    static final Found FOUND = find();

    private static Found find() {
      try {
        return new Found(new Zstd(SymbolLookup.libraryLookup(LIBRARY, Arena.global())), "");
      } catch (IllegalArgumentException | NoSuchElementException e) {
        return new Found(
            null,
            LIBRARY + " was not found. Fix: apt-get install libzstd1, or -Dsluice.libzstd=PATH");
      }
    }
  }

  /// Why nothing can be compressed here, with the fix; empty when it can.
  public static String why() {
    return Found.FOUND.why();
  }

  /// Compresses into one frame, which says the length of what is in it. Equal bytes compress to
  /// equal bytes, with the same version of the library.
  ///
  /// @param plain memory outside the heap, which stays as it is
  /// @param into memory outside the heap
  /// @param level 1 to [#MOST_LEVEL]
  /// @return bytes of the frame; a negative errno: `ENOSPC` when it does not fit, `ENOSYS` without
  ///   the library
  public static long compress(MemorySegment plain, MemorySegment into, int level) {
    Zstd library = Found.FOUND.library();
    if (library == null) {
      return -Errno.ENOSYS;
    }
    if (!plain.isNative() || !into.isNative() || into.isReadOnly()) {
      throw new IllegalArgumentException("memory outside the heap is compressed");
    }
    try {
      long count =
          (long)
              library.compress.invokeExact(
                  into.address(), into.byteSize(), plain.address(), plain.byteSize(), level);
      return (int) library.isError.invokeExact(count) == 0 ? count : -Errno.ENOSPC;
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }
}
