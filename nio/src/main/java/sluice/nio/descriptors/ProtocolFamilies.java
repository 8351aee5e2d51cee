package sluice.nio.descriptors;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import org.jspecify.annotations.Nullable;
import sluice.sys.Files;
import sluice.sys.SocketAddresses;
import sluice.sys.Sockets;
import sluice.sys.SysException;
import sluice.sys.sockets.JdkDecisions;
import sluice.sys.sockets.SocketErrors;

/// Opens sockets of a protocol family, and checks and encodes their addresses. Stateless, so any
/// thread may call it.
///
/// A channel that is opened without a family uses IPv6 and can also communicate over IPv4 (RFC 3493
/// section 3.7), unless IPv6 is disabled in the JDK ([JdkDecisions]).
public final class ProtocolFamilies {
  private ProtocolFamilies() {}

  /// Returns the requested family, or the family that supports both IP versions if none is
  /// requested.
  ///
  /// @throws UnsupportedOperationException if channels of this kind do not support the family
  public static StandardProtocolFamily choose(@Nullable ProtocolFamily family, boolean unixToo) {
    if (family == null) {
      return JdkDecisions.ipv6() ? StandardProtocolFamily.INET6 : StandardProtocolFamily.INET;
    }
    if (!(family instanceof StandardProtocolFamily known)
        || (known == StandardProtocolFamily.UNIX && !unixToo)) {
      throw new UnsupportedOperationException("Protocol family not supported");
    }
    if (known == StandardProtocolFamily.INET6 && !JdkDecisions.ipv6()) {
      throw new UnsupportedOperationException("IPv6 not available");
    }
    return known;
  }

  /// Opens a non-blocking socket.
  public static int open(StandardProtocolFamily family, int type) throws IOException {
    int number =
        switch (family) {
          case INET -> SocketAddresses.AF_INET;
          case INET6 -> SocketAddresses.AF_INET6;
          case UNIX -> SocketAddresses.AF_UNIX;
        };
    int fd = SocketErrors.translate(() -> Sockets.socket(number, type | Sockets.SOCK_NONBLOCK, 0));
    try {
      if (family == StandardProtocolFamily.INET6) {
        Sockets.setsockopt(fd, Sockets.IPPROTO_IPV6, Sockets.IPV6_V6ONLY, 0);
      }
      return fd;
    } catch (SysException failure) {
      Files.close(fd);
      throw SocketErrors.of(failure);
    }
  }

  /// Returns the given address as an internet address after checking it.
  ///
  /// @throws UnresolvedAddressException if the address is not resolved
  /// @throws UnsupportedAddressTypeException if a socket of this family cannot use the address
  public static InetSocketAddress checkInet(SocketAddress address, StandardProtocolFamily family) {
    java.util.Objects.requireNonNull(address);
    if (!(address instanceof InetSocketAddress inet)) {
      throw new UnsupportedAddressTypeException();
    }
    if (inet.isUnresolved()) {
      throw new UnresolvedAddressException();
    }
    if (family == StandardProtocolFamily.INET && !(inet.getAddress() instanceof Inet4Address)) {
      throw new UnsupportedAddressTypeException();
    }
    return inet;
  }

  public static UnixDomainSocketAddress checkUnix(SocketAddress address) {
    java.util.Objects.requireNonNull(address);
    if (!(address instanceof UnixDomainSocketAddress unix)) {
      throw new UnsupportedAddressTypeException();
    }
    return unix;
  }

  /// Returns the address to connect to, with the wildcard replaced by the loopback address.
  public static SocketAddress checkRemote(SocketAddress address, StandardProtocolFamily family) {
    if (family == StandardProtocolFamily.UNIX) {
      return checkUnix(address);
    }
    InetSocketAddress inet = checkInet(address, family);
    if (!inet.getAddress().isAnyLocalAddress()) {
      return inet;
    }
    byte[] loopback =
        inet.getAddress() instanceof Inet4Address
            ? new byte[] {127, 0, 0, 1}
            : new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    return new InetSocketAddress(host(loopback), inet.getPort());
  }

  /// Returns the wildcard address of a family.
  public static InetSocketAddress any(StandardProtocolFamily family, int port) {
    int bytes = family == StandardProtocolFamily.INET ? 4 : 16;
    return new InetSocketAddress(host(new byte[bytes]), port);
  }

  private static InetAddress host(byte[] bytes) {
    try {
      return InetAddress.getByAddress(bytes);
    } catch (UnknownHostException impossible) {
      throw new AssertionError(impossible);
    }
  }

  /// Encodes an address in the format that a socket of this family requires.
  public static MemorySegment encode(
      StandardProtocolFamily family, SocketAddress address, SegmentAllocator allocator)
      throws SocketException {
    if (family == StandardProtocolFamily.INET6 && address instanceof InetSocketAddress inet) {
      return SocketAddresses.encodeMapped(inet, allocator);
    }
    try {
      return SocketAddresses.encode(address, allocator);
    } catch (IllegalArgumentException tooLong) {
      SocketException known = new SocketException("Unix domain path too long");
      known.initCause(tooLong);
      throw known;
    }
  }

  /// Returns the address that a socket is bound to.
  public static SocketAddress local(int fd, StandardProtocolFamily family) throws IOException {
    SocketAddress address =
        SocketErrors.translate(() -> new SocketAddress[] {Sockets.getsockname(fd)})[0];
    return orUnnamed(address, family);
  }

  /// Returns the given address, or the unnamed address of the family if it is null.
  public static SocketAddress orUnnamed(
      @Nullable SocketAddress address, StandardProtocolFamily family) {
    if (family == StandardProtocolFamily.UNIX) {
      return address instanceof UnixDomainSocketAddress ? address : UnixDomainSocketAddress.of("");
    }
    return address == null ? any(family, 0) : address;
  }

  /// Returns true if an address is an IPv6 address.
  public static boolean isIpv6(InetAddress address) {
    return address instanceof Inet6Address;
  }
}
