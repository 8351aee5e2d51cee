package sluice.sys.sockets;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.StandardProtocolFamily;
import org.jspecify.annotations.Nullable;
import sluice.sys.Sockets;

/// The option for the interface through which multicast datagrams are sent. The kernel expects an
/// address for IPv4 and an index for IPv6. This class is stateless.
record MulticastInterface() implements KernelOption {
  private static final int V4_BYTES = 4;

  @Override
  public void set(int fd, StandardProtocolFamily family, Object value) throws IOException {
    NetworkInterface network = (NetworkInterface) value;
    if (family == StandardProtocolFamily.INET6) {
      int index = network.getIndex();
      KernelOption.setInt(fd, Sockets.IPPROTO_IPV6, Sockets.IPV6_MULTICAST_IF, index);
    }
    Inet4Address v4 =
        network
            .inetAddresses()
            .filter(Inet4Address.class::isInstance)
            .map(Inet4Address.class::cast)
            .findFirst()
            .orElse(null);
    if (v4 == null) {
      if (family == StandardProtocolFamily.INET) {
        throw new IOException("Network interface not configured for IPv4");
      }
      return;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment address = arena.allocateFrom(ValueLayout.JAVA_BYTE, v4.getAddress());
      SocketErrors.check(
          Sockets.setsockopt(fd, Sockets.IPPROTO_IP, Sockets.IP_MULTICAST_IF, address));
    }
  }

  @Override
  public @Nullable Object get(int fd, StandardProtocolFamily family) throws IOException {
    if (family == StandardProtocolFamily.INET6) {
      int index = KernelOption.getInt(fd, Sockets.IPPROTO_IPV6, Sockets.IPV6_MULTICAST_IF);
      return index == 0 ? null : NetworkInterface.getByIndex(index);
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment address = arena.allocate(V4_BYTES);
      SocketErrors.check(
          Sockets.getsockopt(fd, Sockets.IPPROTO_IP, Sockets.IP_MULTICAST_IF, address));
      InetAddress host = InetAddress.getByAddress(address.toArray(ValueLayout.JAVA_BYTE));
      return host.isAnyLocalAddress() ? null : NetworkInterface.getByInetAddress(host);
    }
  }
}
