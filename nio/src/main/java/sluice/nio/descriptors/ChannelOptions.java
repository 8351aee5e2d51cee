package sluice.nio.descriptors;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketOption;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.NetworkChannel;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.UserPrincipal;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import jdk.net.ExtendedSocketOptions;
import jdk.net.UnixDomainPrincipal;
import org.jspecify.annotations.Nullable;
import sluice.sys.Sockets;

/// Socket options: which a channel has, and what they are for the kernel. Without state: the
/// channel calls while its descriptor cannot be closed.
public final class ChannelOptions {
  /// As the JDK's `SO_OOBINLINE`, which has no public name; the socket adaptor uses it.
  public static final SocketOption<Boolean> SO_OOBINLINE =
      new SocketOption<>() {
        @Override
        public String name() {
          return "SO_OOBINLINE";
        }

        @Override
        public Class<Boolean> type() {
          return Boolean.class;
        }

        @Override
        public String toString() {
          return name();
        }
      };

  /// Whether there is a module with more options than the standard ones: a JVM may be limited to
  /// others.
  private static final boolean EXTENDED = ModuleLayer.boot().findModule("jdk.net").isPresent();

  public static final Set<SocketOption<?>> STREAM =
      setOf(
          () ->
              List.of(
                  ExtendedSocketOptions.TCP_QUICKACK,
                  ExtendedSocketOptions.SO_INCOMING_NAPI_ID,
                  ExtendedSocketOptions.TCP_KEEPCOUNT,
                  ExtendedSocketOptions.TCP_KEEPIDLE,
                  ExtendedSocketOptions.TCP_KEEPINTERVAL),
          StandardSocketOptions.SO_SNDBUF,
          StandardSocketOptions.SO_RCVBUF,
          StandardSocketOptions.SO_KEEPALIVE,
          StandardSocketOptions.SO_REUSEADDR,
          StandardSocketOptions.SO_REUSEPORT,
          StandardSocketOptions.SO_LINGER,
          StandardSocketOptions.TCP_NODELAY,
          StandardSocketOptions.IP_TOS,
          SO_OOBINLINE);

  public static final Set<SocketOption<?>> UNIX_STREAM =
      setOf(
          () -> List.of(ExtendedSocketOptions.SO_PEERCRED),
          StandardSocketOptions.SO_SNDBUF,
          StandardSocketOptions.SO_RCVBUF,
          StandardSocketOptions.SO_LINGER);

  public static final Set<SocketOption<?>> SERVER =
      setOf(
          () ->
              List.of(
                  ExtendedSocketOptions.TCP_QUICKACK,
                  ExtendedSocketOptions.SO_INCOMING_NAPI_ID,
                  ExtendedSocketOptions.TCP_KEEPCOUNT,
                  ExtendedSocketOptions.TCP_KEEPIDLE,
                  ExtendedSocketOptions.TCP_KEEPINTERVAL),
          StandardSocketOptions.SO_RCVBUF,
          StandardSocketOptions.SO_REUSEADDR,
          StandardSocketOptions.SO_REUSEPORT);

  public static final Set<SocketOption<?>> UNIX_SERVER =
      setOf(List::of, StandardSocketOptions.SO_RCVBUF);

  public static final Set<SocketOption<?>> DATAGRAM =
      setOf(
          () ->
              List.of(
                  ExtendedSocketOptions.SO_INCOMING_NAPI_ID, ExtendedSocketOptions.IP_DONTFRAGMENT),
          StandardSocketOptions.SO_SNDBUF,
          StandardSocketOptions.SO_RCVBUF,
          StandardSocketOptions.SO_REUSEADDR,
          StandardSocketOptions.SO_REUSEPORT,
          StandardSocketOptions.SO_BROADCAST,
          StandardSocketOptions.IP_TOS,
          StandardSocketOptions.IP_MULTICAST_IF,
          StandardSocketOptions.IP_MULTICAST_TTL,
          StandardSocketOptions.IP_MULTICAST_LOOP);

  private ChannelOptions() {}

  /// @param extended options that are looked for only when there are any
  private static Set<SocketOption<?>> setOf(
      Supplier<List<SocketOption<?>>> extended, SocketOption<?>... standard) {
    Set<SocketOption<?>> all = new LinkedHashSet<>(List.of(standard));
    if (EXTENDED) {
      all.addAll(extended.get());
    }
    return Collections.unmodifiableSet(all);
  }

  /// Sets an option of a channel, which is not closed meanwhile.
  ///
  /// @param lock held while the descriptor is used
  public static <C extends NetworkChannel & SluiceChannel, T> void set(
      C channel, Object lock, StandardProtocolFamily family, SocketOption<T> name, T value)
      throws IOException {
    check(channel.supportedOptions(), name);
    checkValue(name, value);
    synchronized (lock) {
      channel.ensureOpen();
      set(channel.core().fd(), family, name, value);
    }
  }

  /// Reads an option of a channel, which is not closed meanwhile.
  ///
  /// @param lock held while the descriptor is used
  @SuppressWarnings({"unchecked", "NullAway"}) // of the option's type; null: no interface
  public static <C extends NetworkChannel & SluiceChannel, T> T get(
      C channel, Object lock, StandardProtocolFamily family, SocketOption<T> name)
      throws IOException {
    check(channel.supportedOptions(), name);
    synchronized (lock) {
      channel.ensureOpen();
      return (T) get(channel.core().fd(), family, name);
    }
  }

  /// @throws UnsupportedOperationException when the channel does not have the option
  private static void check(Set<SocketOption<?>> supported, SocketOption<?> name) {
    Objects.requireNonNull(name);
    boolean theirs = name.name().equals(SO_OOBINLINE.name()) && supported.contains(SO_OOBINLINE);
    if (!supported.contains(name) && !theirs) {
      throw new UnsupportedOperationException("'" + name + "' not supported");
    }
  }

  /// @throws IllegalArgumentException when the value is not of the option's type
  private static void checkValue(SocketOption<?> name, @Nullable Object value) {
    if (!name.type().isInstance(value)) {
      throw new IllegalArgumentException("Invalid value '" + value + "'");
    }
  }

  private static void set(int fd, StandardProtocolFamily family, SocketOption<?> name, Object value)
      throws IOException {
    if (name == StandardSocketOptions.SO_LINGER) {
      int seconds = (Integer) value;
      NetErrors.translate(() -> run(() -> Sockets.linger(fd, Math.min(seconds, 65_535))));
    } else if (name == StandardSocketOptions.IP_TOS) {
      int tos = range((Integer) value, "Invalid IP_TOS value");
      if (family == StandardProtocolFamily.INET6) {
        setInt(fd, Sockets.IPPROTO_IPV6, Sockets.IPV6_TCLASS, tos);
      }
      setInt(fd, Sockets.IPPROTO_IP, Sockets.IP_TOS, tos);
    } else if (name == StandardSocketOptions.IP_MULTICAST_IF) {
      multicastInterface(fd, family, (NetworkInterface) value);
    } else if (name == StandardSocketOptions.IP_MULTICAST_TTL) {
      int ttl = range((Integer) value, "Invalid TTL/hop value");
      if (family == StandardProtocolFamily.INET6) {
        setInt(fd, Sockets.IPPROTO_IPV6, Sockets.IPV6_MULTICAST_HOPS, ttl);
      }
      setInt(fd, Sockets.IPPROTO_IP, Sockets.IP_MULTICAST_TTL, ttl);
    } else if (name == StandardSocketOptions.IP_MULTICAST_LOOP) {
      int on = number(value);
      if (family == StandardProtocolFamily.INET6) {
        setInt(fd, Sockets.IPPROTO_IPV6, Sockets.IPV6_MULTICAST_LOOP, on);
      }
      setInt(fd, Sockets.IPPROTO_IP, Sockets.IP_MULTICAST_LOOP, on);
    } else if (name.name().equals("IP_DONTFRAGMENT")) {
      int how = (Boolean) value ? Sockets.IP_PMTUDISC_DO : Sockets.IP_PMTUDISC_DONT;
      setInt(fd, Sockets.IPPROTO_IP, Sockets.IP_MTU_DISCOVER, how);
      if (family == StandardProtocolFamily.INET6) {
        setInt(fd, Sockets.IPPROTO_IPV6, Sockets.IPV6_MTU_DISCOVER, how);
      }
    } else if (name.name().equals("SO_INCOMING_NAPI_ID") || name.name().equals("SO_PEERCRED")) {
      throw new java.net.SocketException("Unable to set socket option " + name.name());
    } else {
      setInt(fd, level(name), option(name), adjusted(name, number(value)));
    }
  }

  private static int adjusted(SocketOption<?> name, int value) {
    if (name == StandardSocketOptions.SO_RCVBUF || name == StandardSocketOptions.SO_SNDBUF) {
      if (value < 0) {
        String which = name == StandardSocketOptions.SO_RCVBUF ? "receive" : "send";
        throw new IllegalArgumentException("Invalid " + which + " buffer size");
      }
      return name == StandardSocketOptions.SO_RCVBUF ? Math.max(value, 1024) : value;
    }
    return value;
  }

  private static int range(int value, String problem) {
    if (value < 0 || value > 255) {
      throw new IllegalArgumentException(problem);
    }
    return value;
  }

  private static int number(Object value) {
    return value instanceof Boolean on ? (on ? 1 : 0) : (Integer) value;
  }

  private static @Nullable Object get(int fd, StandardProtocolFamily family, SocketOption<?> name)
      throws IOException {
    boolean v6 = family == StandardProtocolFamily.INET6;
    if (name == StandardSocketOptions.SO_LINGER) {
      return NetErrors.translate(() -> Sockets.linger(fd));
    } else if (name == StandardSocketOptions.IP_TOS) {
      return v6
          ? getInt(fd, Sockets.IPPROTO_IPV6, Sockets.IPV6_TCLASS)
          : getInt(fd, Sockets.IPPROTO_IP, Sockets.IP_TOS);
    } else if (name == StandardSocketOptions.IP_MULTICAST_IF) {
      return multicastInterface(fd, family);
    } else if (name == StandardSocketOptions.IP_MULTICAST_TTL) {
      return v6
          ? getInt(fd, Sockets.IPPROTO_IPV6, Sockets.IPV6_MULTICAST_HOPS)
          : getInt(fd, Sockets.IPPROTO_IP, Sockets.IP_MULTICAST_TTL);
    } else if (name == StandardSocketOptions.IP_MULTICAST_LOOP) {
      return 0
          != (v6
              ? getInt(fd, Sockets.IPPROTO_IPV6, Sockets.IPV6_MULTICAST_LOOP)
              : getInt(fd, Sockets.IPPROTO_IP, Sockets.IP_MULTICAST_LOOP));
    } else if (name.name().equals("IP_DONTFRAGMENT")) {
      return getInt(fd, Sockets.IPPROTO_IP, Sockets.IP_MTU_DISCOVER) == Sockets.IP_PMTUDISC_DO;
    } else if (name.name().equals("SO_PEERCRED")) {
      return peerCredentials(fd);
    }
    int value = getInt(fd, level(name), option(name));
    if (name == StandardSocketOptions.SO_RCVBUF || name == StandardSocketOptions.SO_SNDBUF) {
      return value / 2; // Linux tells twice what was asked for
    }
    return name.type() == Boolean.class ? (Object) (value != 0) : (Object) value;
  }

  private static int level(SocketOption<?> name) {
    return name.name().startsWith("TCP_") ? Sockets.IPPROTO_TCP : Sockets.SOL_SOCKET;
  }

  private static int option(SocketOption<?> name) {
    return switch (name.name()) {
      case "SO_SNDBUF" -> Sockets.SO_SNDBUF;
      case "SO_RCVBUF" -> Sockets.SO_RCVBUF;
      case "SO_KEEPALIVE" -> Sockets.SO_KEEPALIVE;
      case "SO_REUSEADDR" -> Sockets.SO_REUSEADDR;
      case "SO_REUSEPORT" -> Sockets.SO_REUSEPORT;
      case "SO_BROADCAST" -> Sockets.SO_BROADCAST;
      case "SO_OOBINLINE" -> Sockets.SO_OOBINLINE;
      case "SO_INCOMING_NAPI_ID" -> Sockets.SO_INCOMING_NAPI_ID;
      case "TCP_NODELAY" -> Sockets.TCP_NODELAY;
      case "TCP_QUICKACK" -> Sockets.TCP_QUICKACK;
      case "TCP_KEEPCOUNT" -> Sockets.TCP_KEEPCNT;
      case "TCP_KEEPIDLE" -> Sockets.TCP_KEEPIDLE;
      case "TCP_KEEPINTERVAL" -> Sockets.TCP_KEEPINTVL;
      default -> throw new UnsupportedOperationException("'" + name + "' not supported");
    };
  }

  private static void multicastInterface(
      int fd, StandardProtocolFamily family, NetworkInterface value) throws IOException {
    if (family == StandardProtocolFamily.INET6) {
      setInt(fd, Sockets.IPPROTO_IPV6, Sockets.IPV6_MULTICAST_IF, value.getIndex());
    }
    Inet4Address v4 =
        value
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
      NetErrors.check(Sockets.setsockopt(fd, Sockets.IPPROTO_IP, Sockets.IP_MULTICAST_IF, address));
    }
  }

  private static @Nullable NetworkInterface multicastInterface(
      int fd, StandardProtocolFamily family) throws IOException {
    if (family == StandardProtocolFamily.INET6) {
      int index = getInt(fd, Sockets.IPPROTO_IPV6, Sockets.IPV6_MULTICAST_IF);
      return index == 0 ? null : NetworkInterface.getByIndex(index);
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment address = arena.allocate(4);
      NetErrors.check(Sockets.getsockopt(fd, Sockets.IPPROTO_IP, Sockets.IP_MULTICAST_IF, address));
      InetAddress host = InetAddress.getByAddress(address.toArray(ValueLayout.JAVA_BYTE));
      return host.isAnyLocalAddress() ? null : NetworkInterface.getByInetAddress(host);
    }
  }

  private static UnixDomainPrincipal peerCredentials(int fd) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment ids = arena.allocate(12, 4); // struct ucred: pid, uid, gid
      NetErrors.check(Sockets.getsockopt(fd, Sockets.SOL_SOCKET, Sockets.SO_PEERCRED, ids));
      int uid = ids.get(ValueLayout.JAVA_INT, 4);
      if (uid == -1) {
        throw new java.net.SocketException("Please connect socket first");
      }
      return principal(ids.get(ValueLayout.JAVA_INT, 0), uid, ids.get(ValueLayout.JAVA_INT, 8));
    }
  }

  /// Names come from the peer's entry in `/proc`, which the JDK knows how to read; without one, or
  /// when it is another's by now, numbers are names.
  private static UnixDomainPrincipal principal(int pid, int uid, int gid) throws IOException {
    try {
      Map<String, Object> owners =
          Files.readAttributes(Path.of("/proc", Integer.toString(pid)), "unix:uid,gid,owner,group");
      if (Objects.equals(owners.get("uid"), uid) && Objects.equals(owners.get("gid"), gid)) {
        return new UnixDomainPrincipal(
            (UserPrincipal) owners.get("owner"), (GroupPrincipal) owners.get("group"));
      }
    } catch (IOException | UnsupportedOperationException | IllegalArgumentException none) {
      // ended, hidden, or a file system of somebody's own
    }
    var lookup = FileSystems.getDefault().getUserPrincipalLookupService();
    return new UnixDomainPrincipal(
        lookup.lookupPrincipalByName(Integer.toString(uid)),
        lookup.lookupPrincipalByGroupName(Integer.toString(gid)));
  }

  private interface Action {
    void run() throws sluice.sys.SysException;
  }

  private static Integer run(Action action) throws sluice.sys.SysException {
    action.run();
    return 0;
  }

  private static void setInt(int fd, int level, int option, int value) throws IOException {
    NetErrors.translate(() -> run(() -> Sockets.setsockopt(fd, level, option, value)));
  }

  private static int getInt(int fd, int level, int option) throws IOException {
    return NetErrors.translate(() -> Sockets.getsockopt(fd, level, option));
  }
}
