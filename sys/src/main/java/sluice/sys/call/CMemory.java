package sluice.sys.call;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/// Accesses the memory of a C library by address. This class is stateless and thread-safe.
///
/// An address must have been obtained from the library itself, which must keep the target valid,
/// because accesses are not checked.
public final class CMemory {
  private static final long LONGEST_TEXT = 4096;

  private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  private CMemory() {}

  public static long word(long address) {
    return ALL.get(JAVA_LONG, address);
  }

  public static void word(long address, long value) {
    ALL.set(JAVA_LONG, address, value);
  }

  public static int number(long address) {
    return ALL.get(JAVA_INT, address);
  }

  public static void number(long address, int value) {
    ALL.set(JAVA_INT, address, value);
  }

  /// Returns a NUL-terminated string, or an empty string for a null pointer.
  public static String text(long address) {
    return address == 0
        ? ""
        : MemorySegment.ofAddress(address).reinterpret(LONGEST_TEXT).getString(0);
  }

  /// Returns a function of a libfabric object.
  ///
  /// @param object the address of the object
  /// @param table the offset in the object of the pointer to the function table
  /// @param function the offset of the function in the table
  public static MemorySegment function(long object, int table, int function) {
    return MemorySegment.ofAddress(word(word(object + table) + function));
  }
}
