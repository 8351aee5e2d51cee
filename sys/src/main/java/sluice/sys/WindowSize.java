package sluice.sys;

import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import sluice.sys.call.Kernel;
import sluice.sys.call.Layout;
import sluice.sys.call.SystemCall;

/// The window of a terminal, `struct winsize`, 8 bytes. Immutable: any thread may use it.
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
/// @param rows characters from top to bottom; 0 if the terminal does not know, as a serial line
/// @param columns characters from left to right; 0 likewise
public record WindowSize(int rows, int columns) {
  static final long TIOCGWINSZ = 0x5413;

  static final Layout LAYOUT = Layout.of("struct winsize");
  static final int WS_ROW = LAYOUT.u16("ws_row");
  static final int WS_COL = LAYOUT.u16("ws_col");
  static final int WS_XPIXEL = LAYOUT.u16("ws_xpixel");
  static final int WS_YPIXEL = LAYOUT.u16("ws_ypixel");

  /// Returns whether a descriptor is that of a terminal.
  public static boolean isTerminal(int fd) {
    try (Arena arena = Arena.ofConfined()) {
      return ask(fd, allocate(arena)) >= 0;
    }
  }

  /// Returns the window of a terminal as it is now; no rows and columns if the descriptor is no
  /// terminal's.
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
