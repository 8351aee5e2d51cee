package sluice.sys;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteOrder;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import sluice.sys.call.Layout;

/// Converts socket addresses to and from the format of the kernel.
///
/// This class is stateless and thread-safe. Ports and IPv4 addresses are in network byte order.
///
/// ```
///  byte 0        2      4          8                   24          28
///      +--------+------+----------+-------------------+-----------+
///  v4  | family | port | address  | zero to byte 16   |           |
///      +--------+------+----------+-------------------+-----------+
///  v6  | family | port | flowinfo | address           | scope id  |
///      +--------+------+----------+-------------------+-----------+
/// unix | family | path, at most 108 bytes; a leading NUL: abstract|
///      +--------+-------------------------------------------------+
/// ```
///
/// ```c
/// struct sockaddr_in  { sa_family_t sin_family; in_port_t sin_port; struct in_addr sin_addr; … };
/// struct sockaddr_in6 { sa_family_t sin6_family; in_port_t sin6_port; uint32_t sin6_flowinfo;
///                       struct in6_addr sin6_addr; uint32_t sin6_scope_id; };
/// struct sockaddr_un  { sa_family_t sun_family; char sun_path[108]; };
/// ```
public final class SocketAddresses {
  static final Layout IN_LAYOUT = Layout.of("struct sockaddr_in");
  static final int FAMILY = IN_LAYOUT.u16("sin_family");
  static final int PORT = IN_LAYOUT.u16("sin_port");
  static final int IN_ADDR = IN_LAYOUT.u32("sin_addr");
  static final int IN_ZERO = IN_LAYOUT.array("sin_zero", 1, 8);

  static final Layout IN6_LAYOUT = Layout.of("struct sockaddr_in6");
  static final int IN6_FAMILY = IN6_LAYOUT.u16("sin6_family");
  static final int IN6_PORT = IN6_LAYOUT.u16("sin6_port");
  static final int IN6_FLOWINFO = IN6_LAYOUT.u32("sin6_flowinfo");
  static final int IN6_ADDR = IN6_LAYOUT.array("sin6_addr", 4, 4);
  static final int IN6_SCOPE_ID = IN6_LAYOUT.u32("sin6_scope_id");

  static final Layout UN_LAYOUT = Layout.of("struct sockaddr_un");
  static final int UN_FAMILY = UN_LAYOUT.u16("sun_family");
  static final int UN_PATH = UN_LAYOUT.array("sun_path", 1, 108);

  /// The size that is sufficient for any address (`struct sockaddr_storage`).
  public static final int STORAGE_BYTES = 128;

  public static final int AF_UNIX = 1;
  public static final int AF_INET = 2;
  public static final int AF_INET6 = 10;

  private static final int UN_PATH_BYTES = UN_LAYOUT.sizeBytes() - UN_PATH;
  private static final ValueLayout.OfShort NETWORK_SHORT =
      JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private SocketAddresses() {}

  /// Returns the socket family for an address.
  ///
  /// @throws UnsupportedAddressTypeException if it is neither an IP address nor a UNIX address
  public static int family(SocketAddress address) {
    // Pattern switches are avoided here and below because linking one adds milliseconds to the
    // startup time.
    if (address instanceof InetSocketAddress inet) {
      return inet.getAddress() instanceof Inet6Address ? AF_INET6 : AF_INET;
    }
    if (address instanceof UnixDomainSocketAddress || address instanceof AbstractUnixAddress) {
      return AF_UNIX;
    }
    throw new UnsupportedAddressTypeException();
  }

  /// Encodes an address. The length of the returned segment is the length of the address.
  ///
  /// @throws UnresolvedAddressException if the host name has not been resolved
  /// @throws IllegalArgumentException if the path of a UNIX address is too long
  public static MemorySegment encode(SocketAddress address, SegmentAllocator allocator) {
    if (address instanceof InetSocketAddress inet) {
      return encodeInet(inet, allocator);
    }
    if (address instanceof UnixDomainSocketAddress unix) {
      return encodePath(unix.getPath().toString(), allocator);
    }
    if (address instanceof AbstractUnixAddress unix) {
      return encodeAbstract(unix.name(), allocator);
    }
    throw new UnsupportedAddressTypeException();
  }

  /// Encodes an IP address for a socket of the family `AF_INET6`, in which IPv4 addresses are
  /// represented as `::ffff:a.b.c.d` (RFC 4291 section 2.5.5.2).
  ///
  /// @throws UnresolvedAddressException if the host name has not been resolved
  public static MemorySegment encodeMapped(InetSocketAddress inet, SegmentAllocator allocator) {
    InetAddress host = inet.getAddress();
    if (!(host instanceof Inet4Address)) {
      return encodeInet(inet, allocator);
    }
    MemorySegment segment = allocator.allocate(IN6_LAYOUT.sizeBytes(), Long.BYTES);
    segment.fill((byte) 0);
    segment.set(JAVA_SHORT_UNALIGNED, FAMILY, (short) AF_INET6);
    segment.set(NETWORK_SHORT, PORT, (short) inet.getPort());
    if (!host.isAnyLocalAddress()) {
      segment.set(JAVA_SHORT_UNALIGNED, IN6_ADDR + 10L, (short) -1);
      MemorySegment.copy(host.getAddress(), 0, segment, JAVA_BYTE, IN6_ADDR + 12L, 4);
    }
    return segment;
  }

  private static MemorySegment encodeInet(InetSocketAddress inet, SegmentAllocator allocator) {
    InetAddress host = inet.getAddress();
    if (host == null) {
      throw new UnresolvedAddressException();
    }
    byte[] bytes = host.getAddress();
    boolean v6 = host instanceof Inet6Address;
    MemorySegment segment =
        allocator.allocate(v6 ? IN6_LAYOUT.sizeBytes() : IN_LAYOUT.sizeBytes(), Long.BYTES);
    segment.fill((byte) 0);
    segment.set(JAVA_SHORT_UNALIGNED, FAMILY, (short) (v6 ? AF_INET6 : AF_INET));
    segment.set(NETWORK_SHORT, PORT, (short) inet.getPort());
    MemorySegment.copy(bytes, 0, segment, JAVA_BYTE, v6 ? IN6_ADDR : IN_ADDR, bytes.length);
    if (host instanceof Inet6Address scoped) {
      segment.set(JAVA_INT_UNALIGNED, IN6_SCOPE_ID, scoped.getScopeId());
    }
    return segment;
  }

  private static MemorySegment encodePath(String path, SegmentAllocator allocator) {
    byte[] bytes = path.getBytes(StandardCharsets.UTF_8);
    if (bytes.length == 0) {
      return unix(0, allocator); // unnamed: bind(2) chooses an abstract name
    }
    MemorySegment segment = unix(checkPath(path, bytes.length) + 1, allocator);
    MemorySegment.copy(bytes, 0, segment, JAVA_BYTE, UN_PATH, bytes.length);
    return segment;
  }

  private static MemorySegment encodeAbstract(String name, SegmentAllocator allocator) {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    MemorySegment segment = unix(checkPath(name, bytes.length) + 1, allocator);
    MemorySegment.copy(bytes, 0, segment, JAVA_BYTE, UN_PATH + 1L, bytes.length);
    return segment;
  }

  private static int checkPath(String path, int length) {
    if (length >= UN_PATH_BYTES) {
      throw new IllegalArgumentException(
          "a UNIX socket path has at most " + (UN_PATH_BYTES - 1) + " bytes: " + path);
    }
    return length;
  }

  private static MemorySegment unix(int pathBytes, SegmentAllocator allocator) {
    MemorySegment segment = allocator.allocate((long) UN_PATH + pathBytes, Long.BYTES);
    segment.fill((byte) 0);
    segment.set(JAVA_SHORT_UNALIGNED, FAMILY, (short) AF_UNIX);
    return segment;
  }

  /// Decodes an address that was written by the kernel.
  ///
  /// @param length the length in bytes that was reported by the kernel
  /// @return the address, or null for an unknown family or an unnamed UNIX socket
  public static @Nullable SocketAddress decode(MemorySegment segment, int length) {
    if (length < UN_PATH) {
      return null;
    }
    int port = length < 4 ? 0 : segment.get(NETWORK_SHORT, PORT) & 0xffff;
    return switch (segment.get(JAVA_SHORT_UNALIGNED, FAMILY)) {
      case AF_INET -> new InetSocketAddress(host(segment, IN_ADDR, 4, 0), port);
      case AF_INET6 -> {
        int scope = segment.get(JAVA_INT_UNALIGNED, IN6_SCOPE_ID);
        yield new InetSocketAddress(host(segment, IN6_ADDR, 16, scope), port);
      }
      case AF_UNIX -> decodeUnix(segment, Math.min(length, UN_LAYOUT.sizeBytes()) - UN_PATH);
      default -> null;
    };
  }

  private static @Nullable SocketAddress decodeUnix(MemorySegment segment, int pathBytes) {
    if (pathBytes == 0) {
      return null;
    }
    byte[] bytes = segment.asSlice(UN_PATH, pathBytes).toArray(JAVA_BYTE);
    if (bytes[0] == 0) {
      return new AbstractUnixAddress(
          new String(bytes, 1, bytes.length - 1, StandardCharsets.UTF_8));
    }
    int end = 0;
    while (end < bytes.length && bytes[end] != 0) {
      end++;
    }
    return UnixDomainSocketAddress.of(new String(bytes, 0, end, StandardCharsets.UTF_8));
  }

  private static InetAddress host(MemorySegment segment, int offset, int length, int scope) {
    byte[] bytes = segment.asSlice(offset, length).toArray(JAVA_BYTE);
    try {
      InetAddress host = InetAddress.getByAddress(bytes);
      return scope != 0 && host instanceof Inet6Address
          ? Inet6Address.getByAddress(null, bytes, scope)
          : host; // a v4-mapped address becomes an Inet4Address
    } catch (UnknownHostException impossible) {
      throw new AssertionError(impossible);
    }
  }
}
