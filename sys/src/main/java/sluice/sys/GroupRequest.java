package sluice.sys;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import sluice.sys.call.Layout;

/// The structures `struct group_req` and `struct group_source_req`, with which a socket joins or
/// leaves a multicast group on a network interface (RFC 3678 section 5.1).
///
/// This class is stateless and thread-safe.
///
/// ```
///  byte 0              8                 136                264
///      +---------------+-----------------+------------------+
///      | gsr_interface | gsr_group       | gsr_source       |
///      +---------------+-----------------+------------------+
/// ```
///
/// ```c
/// struct group_req { uint32_t gr_interface; struct sockaddr_storage gr_group; };
/// struct group_source_req { uint32_t gsr_interface;
///                           struct sockaddr_storage gsr_group, gsr_source; };
/// ```
public final class GroupRequest {
  static final Layout GROUP_LAYOUT = Layout.of("struct group_req");
  static final int GR_INTERFACE = GROUP_LAYOUT.u32("gr_interface");
  static final int GR_GROUP = GROUP_LAYOUT.array("gr_group", 8, 16);

  static final Layout SOURCE_LAYOUT = Layout.of("struct group_source_req");
  static final int GSR_INTERFACE = SOURCE_LAYOUT.u32("gsr_interface");
  static final int GSR_GROUP = SOURCE_LAYOUT.array("gsr_group", 8, 16);
  static final int GSR_SOURCE = SOURCE_LAYOUT.array("gsr_source", 8, 16);

  public static final int MCAST_JOIN_GROUP = 42;
  public static final int MCAST_BLOCK_SOURCE = 43;
  public static final int MCAST_UNBLOCK_SOURCE = 44;
  public static final int MCAST_LEAVE_GROUP = 45;
  public static final int MCAST_JOIN_SOURCE_GROUP = 46;
  public static final int MCAST_LEAVE_SOURCE_GROUP = 47;

  private GroupRequest() {}

  /// Joins or leaves a group, or blocks or unblocks a source.
  ///
  /// @param level [Sockets#IPPROTO_IP] or [Sockets#IPPROTO_IPV6], according to the address of the
  ///   group
  /// @param option an `MCAST_` constant; the constants that contain `SOURCE` require a source, and
  ///   all others do not accept one
  /// @param interfaceIndex the index of the network interface
  /// @return 0, or -EADDRINUSE, -ENODEV, -EADDRNOTAVAIL, …
  public static int set(
      int fd,
      int level,
      int option,
      int interfaceIndex,
      InetAddress group,
      @Nullable InetAddress source) {
    try (Arena arena = Arena.ofConfined()) {
      Layout layout = source == null ? GROUP_LAYOUT : SOURCE_LAYOUT;
      MemorySegment request = arena.allocate(layout.sizeBytes(), Long.BYTES);
      request.set(JAVA_INT, GSR_INTERFACE, interfaceIndex);
      put(request, GSR_GROUP, group, arena);
      if (source != null) {
        put(request, GSR_SOURCE, source, arena);
      }
      return Sockets.setsockopt(fd, level, option, request);
    }
  }

  private static void put(MemorySegment request, int offset, InetAddress host, Arena arena) {
    MemorySegment address = SocketAddresses.encode(new InetSocketAddress(host, 0), arena);
    MemorySegment.copy(address, 0, request, offset, address.byteSize());
  }
}
