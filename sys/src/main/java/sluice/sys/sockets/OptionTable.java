package sluice.sys.sockets;

import java.io.IOException;
import java.net.SocketOption;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import jdk.net.ExtendedSocketOptions;
import sluice.sys.Sockets;
import sluice.sys.sockets.KernelOption.Amount;
import sluice.sys.sockets.KernelOption.BufferSize;
import sluice.sys.sockets.KernelOption.DontFragment;
import sluice.sys.sockets.KernelOption.Flag;
import sluice.sys.sockets.KernelOption.Linger;
import sluice.sys.sockets.KernelOption.PacketByte;
import sluice.sys.sockets.KernelOption.PacketFlag;
import sluice.sys.sockets.KernelOption.ReadOnly;

/// The socket options that are supported by a kind of channel or socket, each with its counterpart
/// in the kernel. Instances are immutable and thread-safe.
public final class OptionTable {
  /// The JDK's option `SO_OOBINLINE`, which has no public name. It is used by the socket adaptor.
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

  /// The options of connected TCP sockets.
  public static final OptionTable STREAM =
      new OptionTable()
          .with(StandardSocketOptions.SO_SNDBUF, sendBuffer())
          .with(StandardSocketOptions.SO_RCVBUF, receiveBuffer())
          .with(StandardSocketOptions.SO_KEEPALIVE, flag(Sockets.SO_KEEPALIVE))
          .with(StandardSocketOptions.SO_REUSEADDR, flag(Sockets.SO_REUSEADDR))
          .with(StandardSocketOptions.SO_REUSEPORT, flag(Sockets.SO_REUSEPORT))
          .with(StandardSocketOptions.SO_LINGER, new Linger())
          .with(
              StandardSocketOptions.TCP_NODELAY, new Flag(Sockets.IPPROTO_TCP, Sockets.TCP_NODELAY))
          .with(StandardSocketOptions.IP_TOS, trafficClass())
          .with(SO_OOBINLINE, flag(Sockets.SO_OOBINLINE))
          .withExtended(Extended::tcp);

  /// The options of listening TCP sockets.
  public static final OptionTable SERVER =
      new OptionTable()
          .with(StandardSocketOptions.SO_RCVBUF, receiveBuffer())
          .with(StandardSocketOptions.SO_REUSEADDR, flag(Sockets.SO_REUSEADDR))
          .with(StandardSocketOptions.SO_REUSEPORT, flag(Sockets.SO_REUSEPORT))
          .withExtended(Extended::tcp);

  /// The options of `java.net.Socket`, which are the options of a TCP channel, except that
  /// `SO_OOBINLINE` is not listed.
  public static final OptionTable SOCKET = new OptionTable().withAll(STREAM).without(SO_OOBINLINE);

  /// The options of `java.net.ServerSocket`, which supports one more option than its channel.
  public static final OptionTable SERVER_SOCKET =
      new OptionTable().withAll(SERVER).with(StandardSocketOptions.IP_TOS, trafficClass());

  /// The options of connected UNIX sockets.
  public static final OptionTable UNIX_STREAM =
      new OptionTable()
          .with(StandardSocketOptions.SO_SNDBUF, sendBuffer())
          .with(StandardSocketOptions.SO_RCVBUF, receiveBuffer())
          .with(StandardSocketOptions.SO_LINGER, new Linger())
          .withExtended(Extended::unix);

  /// The options of listening UNIX sockets.
  public static final OptionTable UNIX_SERVER =
      new OptionTable().with(StandardSocketOptions.SO_RCVBUF, receiveBuffer());

  /// The options of UDP sockets.
  public static final OptionTable DATAGRAM =
      new OptionTable()
          .with(StandardSocketOptions.SO_SNDBUF, sendBuffer())
          .with(StandardSocketOptions.SO_RCVBUF, receiveBuffer())
          .with(StandardSocketOptions.SO_REUSEADDR, flag(Sockets.SO_REUSEADDR))
          .with(StandardSocketOptions.SO_REUSEPORT, flag(Sockets.SO_REUSEPORT))
          .with(StandardSocketOptions.SO_BROADCAST, flag(Sockets.SO_BROADCAST))
          .with(StandardSocketOptions.IP_TOS, trafficClass())
          .with(StandardSocketOptions.IP_MULTICAST_IF, new MulticastInterface())
          .with(
              StandardSocketOptions.IP_MULTICAST_TTL,
              new PacketByte(
                  Sockets.IP_MULTICAST_TTL, Sockets.IPV6_MULTICAST_HOPS, "Invalid TTL/hop value"))
          .with(
              StandardSocketOptions.IP_MULTICAST_LOOP,
              new PacketFlag(Sockets.IP_MULTICAST_LOOP, Sockets.IPV6_MULTICAST_LOOP))
          .withExtended(Extended::udp);

  private final Map<SocketOption<?>, KernelOption> rows = new LinkedHashMap<>();
  private final Set<SocketOption<?>> names = new LinkedHashSet<>();

  private OptionTable() {}

  private static KernelOption flag(int option) {
    return new Flag(Sockets.SOL_SOCKET, option);
  }

  private static KernelOption sendBuffer() {
    return new BufferSize(Sockets.SO_SNDBUF, 0, "send");
  }

  private static KernelOption receiveBuffer() {
    return new BufferSize(Sockets.SO_RCVBUF, 1024, "receive");
  }

  private static KernelOption trafficClass() {
    return new PacketByte(Sockets.IP_TOS, Sockets.IPV6_TCLASS, "Invalid IP_TOS value");
  }

  private OptionTable with(SocketOption<?> name, KernelOption option) {
    rows.put(name, option);
    boolean _ = names.add(name);
    return this;
  }

  private OptionTable withAll(OptionTable other) {
    rows.putAll(other.rows);
    boolean _ = names.addAll(other.names);
    return this;
  }

  /// Removes an option from the listed names. The option can still be set and read.
  private OptionTable without(SocketOption<?> name) {
    boolean _ = names.remove(name);
    return this;
  }

  private interface Extension {
    void addTo(OptionTable table);
  }

  /// Adds extended options if the module `jdk.net`, which defines them, is present in the JVM.
  private OptionTable withExtended(Extension extension) {
    if (ModuleLayer.boot().findModule("jdk.net").isPresent()) {
      extension.addTo(this);
    }
    return this;
  }

  /// The extended options. The class is loaded only if the module `jdk.net` is present.
  private static final class Extended {
    static void tcp(OptionTable table) {
      table
          .with(ExtendedSocketOptions.TCP_QUICKACK, tcpFlag(Sockets.TCP_QUICKACK))
          .with(ExtendedSocketOptions.TCP_KEEPCOUNT, tcpNumber(Sockets.TCP_KEEPCNT))
          .with(ExtendedSocketOptions.TCP_KEEPIDLE, tcpNumber(Sockets.TCP_KEEPIDLE))
          .with(ExtendedSocketOptions.TCP_KEEPINTERVAL, tcpNumber(Sockets.TCP_KEEPINTVL))
          .with(ExtendedSocketOptions.SO_INCOMING_NAPI_ID, napi());
    }

    static void unix(OptionTable table) {
      table.with(ExtendedSocketOptions.SO_PEERCRED, new PeerPrincipal());
    }

    static void udp(OptionTable table) {
      table
          .with(ExtendedSocketOptions.IP_DONTFRAGMENT, new DontFragment())
          .with(ExtendedSocketOptions.SO_INCOMING_NAPI_ID, napi());
    }

    private static KernelOption tcpFlag(int option) {
      return new Flag(Sockets.IPPROTO_TCP, option);
    }

    private static KernelOption tcpNumber(int option) {
      return new Amount(Sockets.IPPROTO_TCP, option);
    }

    private static KernelOption napi() {
      return new ReadOnly(
          "SO_INCOMING_NAPI_ID", new Amount(Sockets.SOL_SOCKET, Sockets.SO_INCOMING_NAPI_ID));
    }
  }

  /// Returns the supported options.
  public Set<SocketOption<?>> names() {
    return Collections.unmodifiableSet(names);
  }

  /// Checks that an option is supported and that the value has the correct type.
  ///
  /// @throws UnsupportedOperationException if the option is not supported
  /// @throws IllegalArgumentException if the value does not have the type of the option
  public void check(SocketOption<?> name, Object value) {
    KernelOption _ = row(name);
    if (!name.type().isInstance(value)) {
      throw new IllegalArgumentException("Invalid value '" + value + "'");
    }
  }

  /// Checks that an option is supported.
  ///
  /// @throws UnsupportedOperationException if the option is not supported
  public void check(SocketOption<?> name) {
    KernelOption _ = row(name);
  }

  /// Sets an option of a socket. The caller must keep the descriptor open during the call.
  ///
  /// @param family the family of the socket, where `INET6` represents both versions of IP
  /// @throws UnsupportedOperationException if the option is not supported
  /// @throws IllegalArgumentException if the value does not have the type of the option or is out
  ///   of range
  public void set(int fd, StandardProtocolFamily family, SocketOption<?> name, Object value)
      throws IOException {
    check(name, value);
    row(name).set(fd, family, value);
  }

  /// Reads an option of a socket. The caller must keep the descriptor open during the call.
  ///
  /// @param family the family of the socket, where `INET6` represents both versions of IP
  /// @throws UnsupportedOperationException if the option is not supported
  // the value has the option's type; null means no interface
  @SuppressWarnings({"unchecked", "NullAway"})
  public <T> T get(int fd, StandardProtocolFamily family, SocketOption<T> name) throws IOException {
    return (T) row(name).get(fd, family);
  }

  /// Returns the kernel's counterpart of an option.
  ///
  /// @throws UnsupportedOperationException if the option is not supported
  private KernelOption row(SocketOption<?> name) {
    KernelOption row = rows.get(Objects.requireNonNull(name));
    if (row == null && name.name().equals(SO_OOBINLINE.name())) {
      row = rows.get(SO_OOBINLINE); // the JDK's own instance of the option
    }
    if (row == null) {
      throw new UnsupportedOperationException("'" + name + "' not supported");
    }
    return row;
  }
}
