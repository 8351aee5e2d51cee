package sluice.sys.xdp;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import sluice.sys.call.Layout;

/// The structure `struct ifreq`, which contains a network interface and one of its properties in 40
/// bytes.
///
/// This class is a stateless flyweight. Its methods must be called by the owner of the memory, by
/// only one thread at a time.
///
/// ```
///  byte 0             16           40
///      +-------------+------------+
///      | ifr_name    | ifr_ifru   |  here: short ifr_flags
///      +-------------+------------+
/// ```
///
/// ```c
/// struct ifreq { char ifr_name[16]; union { short ifru_flags; … } ifr_ifru; };
/// ```
final class IfReq {
  static final Layout LAYOUT = Layout.of("struct ifreq");
  static final int IFR_NAME = LAYOUT.array("ifr_name", 1, 16);
  static final int IFR_IFRU = LAYOUT.array("ifr_ifru", 8, 3);

  /// The maximum length of a name, not including the terminating zero byte.
  static final int MOST_NAME_BYTES = 15;

  private IfReq() {}

  /// Returns a new structure with a name and flags.
  ///
  /// @throws IllegalArgumentException if the name is not valid for an interface
  static MemorySegment of(Arena arena, String name, int flags) {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    if (bytes.length == 0 || bytes.length > MOST_NAME_BYTES || name.indexOf('/') >= 0) {
      throw new IllegalArgumentException("no interface can be called " + name);
    }
    MemorySegment request = arena.allocate(LAYOUT.sizeBytes(), Long.BYTES);
    MemorySegment.copy(bytes, 0, request, JAVA_BYTE, IFR_NAME, bytes.length);
    request.set(JAVA_SHORT, IFR_IFRU, (short) flags);
    return request;
  }
}
