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

/// Compresses data with the C library libzstd (RFC 8878), which is located when it is first used.
/// This class is stateless, and may be used by any thread except the thread of a loop, because
/// compressing a megabyte takes milliseconds.
///
/// ```c
/// size_t ZSTD_compress(void *dst, size_t dstCapacity, const void *src, size_t srcSize, int level);
/// unsigned ZSTD_isError(size_t code);
/// ```
public final class Zstd {
  /// The highest level that makes a difference for data of a megabyte.
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

  /// The library, or the reason why it is not available.
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

  /// Returns the reason why compression is not available, with a remedy, or an empty string if it
  /// is available.
  public static String why() {
    return Found.FOUND.why();
  }

  /// Compresses data to a single frame, which includes the length of its content. With the same
  /// version of the library, equal data is compressed to equal bytes.
  ///
  /// @param plain native memory that contains the data and is not modified
  /// @param into native memory that receives the frame
  /// @param level 1 to [#MOST_LEVEL]
  /// @return the length of the frame in bytes, or a negative errno, which is `ENOSPC` if the frame
  ///   does not fit, or `ENOSYS` if the library is not available
  public static long compress(MemorySegment plain, MemorySegment into, int level) {
    Zstd library = Found.FOUND.library();
    if (library == null) {
      return -Errno.ENOSYS;
    }
    if (!plain.isNative() || !into.isNative() || into.isReadOnly()) {
      throw new IllegalArgumentException("both segments must be native, and the target writable");
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
