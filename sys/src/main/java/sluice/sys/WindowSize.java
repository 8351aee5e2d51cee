package sluice.sys;

import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import sluice.sys.call.Kernel;
import sluice.sys.call.Layout;
import sluice.sys.call.SystemCall;

/// The window size of a terminal, `struct winsize`, which has 8 bytes. Instances are immutable and
/// thread-safe.
///
/// ```
///  byte 0         2         4             6
///      +---------+---------+-------------+-------------+
///      | ws_row  | ws_col  | ws_xpixel   | ws_ypixel   |
///      +---------+---------+-------------+-------------+
/// ```
///
/// ```c
/// struct winsize { unsigned short ws_row, ws_col, ws_xpixel, ws_ypixel; };
/// ```
///
/// @param rows the number of lines, or 0 if it is unknown to the terminal, for example on a serial
///   line
/// @param columns the number of characters per line, or 0 if it is unknown
public record WindowSize(int rows, int columns) {
  static final long TIOCGWINSZ = 0x5413;

  static final Layout LAYOUT = Layout.of("struct winsize");
  static final int WS_ROW = LAYOUT.u16("ws_row");
  static final int WS_COL = LAYOUT.u16("ws_col");
  static final int WS_XPIXEL = LAYOUT.u16("ws_xpixel");
  static final int WS_YPIXEL = LAYOUT.u16("ws_ypixel");

  /// Returns true if a descriptor refers to a terminal.
  public static boolean isTerminal(int fd) {
    try (Arena arena = Arena.ofConfined()) {
      return ask(fd, allocate(arena)) >= 0;
    }
  }

  /// Returns the current window size of a terminal, or 0 rows and columns if the descriptor does
  /// not refer to a terminal.
  public static WindowSize of(int fd) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment size = allocate(arena);
      long _ = ask(fd, size); // stays zero if it fails
      return new WindowSize(
          Short.toUnsignedInt(size.get(JAVA_SHORT, WS_ROW)),
          Short.toUnsignedInt(size.get(JAVA_SHORT, WS_COL)));
    }
  }

  private static MemorySegment allocate(Arena arena) {
    return arena.allocate(LAYOUT.sizeBytes(), Short.BYTES);
  }

  private static long ask(int fd, MemorySegment size) {
    return Kernel.call(SystemCall.IOCTL, fd, TIOCGWINSZ, size.address());
  }
}
