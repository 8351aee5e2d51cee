package sluice.isocket;

import java.net.SocketException;
import java.net.SocketOption;
import java.net.SocketOptions;
import java.net.StandardSocketOptions;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;
import sluice.sys.Errno;
import sluice.sys.Sockets;
import sluice.sys.SysException;

/// Socket options as `Socket` and `ServerSocket` ask for them: by the numbers of [SocketOptions].
/// Stateless: any thread may call; the caller keeps the descriptor open.
final class KernelOptions {
  /// The kernel takes no more.
  private static final int MOST_LINGER = 65_535;

  private static final int LEAST_RECEIVE_BUFFER = 1024;

  private static final Map<String, Integer> TCP_NUMBERS =
      Map.of(
          "TCP_KEEPCOUNT", Sockets.TCP_KEEPCNT,
          "TCP_KEEPIDLE", Sockets.TCP_KEEPIDLE,
          "TCP_KEEPINTERVAL", Sockets.TCP_KEEPINTVL);

  private KernelOptions() {}

  /// The options that there are.
  static Set<SocketOption<?>> names(boolean server) {
    Set<SocketOption<?>> names = new LinkedHashSet<>();
    names.add(StandardSocketOptions.SO_RCVBUF);
    names.add(StandardSocketOptions.SO_REUSEADDR);
    names.add(StandardSocketOptions.SO_REUSEPORT);
    names.add(StandardSocketOptions.IP_TOS);
    if (!server) {
      names.add(StandardSocketOptions.SO_KEEPALIVE);
      names.add(StandardSocketOptions.SO_SNDBUF);
      names.add(StandardSocketOptions.SO_LINGER);
      names.add(StandardSocketOptions.TCP_NODELAY);
    }
    if (ModuleLayer.boot().findModule("jdk.net").isPresent()) {
      Extended.addTo(names);
    }
    return Set.copyOf(names);
  }

  /// Loaded only where there are such options.
  private static final class Extended {
    static void addTo(Set<SocketOption<?>> names) {
      names.add(ExtendedSocketOptions.TCP_KEEPCOUNT);
      names.add(ExtendedSocketOptions.TCP_KEEPIDLE);
      names.add(ExtendedSocketOptions.TCP_KEEPINTERVAL);
      names.add(ExtendedSocketOptions.TCP_QUICKACK);
      names.add(ExtendedSocketOptions.SO_INCOMING_NAPI_ID);
    }
  }

  static void set(int fd, int option, Object value) throws SocketException {
    try {
      switch (option) {
        case SocketOptions.SO_LINGER -> linger(fd, value);
        case SocketOptions.IP_TOS -> trafficClass(fd, number(value, "IP_TOS"));
        case SocketOptions.SO_SNDBUF ->
            Sockets.setsockopt(
                fd, Sockets.SOL_SOCKET, Sockets.SO_SNDBUF, positive(value, "SO_SNDBUF"));
        case SocketOptions.SO_RCVBUF ->
            Sockets.setsockopt(
                fd,
                Sockets.SOL_SOCKET,
                Sockets.SO_RCVBUF,
                Math.max(LEAST_RECEIVE_BUFFER, positive(value, "SO_RCVBUF")));
        default -> {
          Flag flag = Flag.of(option);
          Sockets.setsockopt(fd, flag.level, flag.option, truth(value, flag.name()) ? 1 : 0);
        }
      }
    } catch (SysException e) {
      throw new SocketException(Errno.describe(e.errno()));
    }
  }

  static Object get(int fd, int option) throws SocketException {
    try {
      return switch (option) {
        case SocketOptions.SO_LINGER -> {
          int seconds = Sockets.linger(fd);
          if (seconds < 0) {
            yield false;
          }
          yield seconds;
        }
        case SocketOptions.IP_TOS ->
            KernelSocket.isDual()
                ? Sockets.getsockopt(fd, Sockets.IPPROTO_IPV6, Sockets.IPV6_TCLASS)
                : Sockets.getsockopt(fd, Sockets.IPPROTO_IP, Sockets.IP_TOS);
        case SocketOptions.SO_SNDBUF -> bufferBytes(fd, Sockets.SO_SNDBUF);
        case SocketOptions.SO_RCVBUF -> bufferBytes(fd, Sockets.SO_RCVBUF);
        default -> {
          Flag flag = Flag.of(option);
          yield Sockets.getsockopt(fd, flag.level, flag.option) != 0;
        }
      };
    } catch (SysException e) {
      throw new SocketException(Errno.describe(e.errno()));
    }
  }

  /// Sets an option that has no number.
  static void set(int fd, SocketOption<?> option, Object value) throws SocketException {
    if (option.name().equals("SO_INCOMING_NAPI_ID")) {
      throw new SocketException("Unable to set socket option SO_INCOMING_NAPI_ID");
    }
    Integer number = TCP_NUMBERS.get(option.name());
    try {
      if (number != null) {
        Sockets.setsockopt(fd, Sockets.IPPROTO_TCP, number, (Integer) value);
      } else {
        int on = (Boolean) value ? 1 : 0;
        Sockets.setsockopt(fd, Sockets.IPPROTO_TCP, Sockets.TCP_QUICKACK, on);
      }
    } catch (SysException e) {
      throw new SocketException(Errno.describe(e.errno()));
    }
  }

  static Object get(int fd, SocketOption<?> option) throws SocketException {
    Integer number = TCP_NUMBERS.get(option.name());
    try {
      if (number != null) {
        return Sockets.getsockopt(fd, Sockets.IPPROTO_TCP, number);
      }
      if (option.name().equals("SO_INCOMING_NAPI_ID")) {
        return Sockets.getsockopt(fd, Sockets.SOL_SOCKET, Sockets.SO_INCOMING_NAPI_ID);
      }
      return Sockets.getsockopt(fd, Sockets.IPPROTO_TCP, Sockets.TCP_QUICKACK) != 0;
    } catch (SysException e) {
      throw new SocketException(Errno.describe(e.errno()));
    }
  }

  /// The number of a standard option, or -1 for one without.
  static int number(SocketOption<?> option) {
    return switch (option.name()) {
      case "SO_RCVBUF" -> SocketOptions.SO_RCVBUF;
      case "SO_SNDBUF" -> SocketOptions.SO_SNDBUF;
      case "SO_REUSEADDR" -> SocketOptions.SO_REUSEADDR;
      case "SO_REUSEPORT" -> SocketOptions.SO_REUSEPORT;
      case "SO_KEEPALIVE" -> SocketOptions.SO_KEEPALIVE;
      case "SO_LINGER" -> SocketOptions.SO_LINGER;
      case "TCP_NODELAY" -> SocketOptions.TCP_NODELAY;
      case "IP_TOS" -> SocketOptions.IP_TOS;
      default -> -1;
    };
  }

  private enum Flag {
    TCP_NODELAY(SocketOptions.TCP_NODELAY, Sockets.IPPROTO_TCP, Sockets.TCP_NODELAY),
    SO_KEEPALIVE(SocketOptions.SO_KEEPALIVE, Sockets.SOL_SOCKET, Sockets.SO_KEEPALIVE),
    SO_OOBINLINE(SocketOptions.SO_OOBINLINE, Sockets.SOL_SOCKET, Sockets.SO_OOBINLINE),
    SO_REUSEADDR(SocketOptions.SO_REUSEADDR, Sockets.SOL_SOCKET, Sockets.SO_REUSEADDR),
    SO_REUSEPORT(SocketOptions.SO_REUSEPORT, Sockets.SOL_SOCKET, Sockets.SO_REUSEPORT);

    final int number;
    final int level;
    final int option;

    Flag(int number, int level, int option) {
      this.number = number;
      this.level = level;
      this.option = option;
    }

    static Flag of(int number) throws SocketException {
      for (Flag each : values()) {
        if (each.number == number) {
          return each;
        }
      }
      throw new SocketException("Unknown option " + number);
    }
  }

  private static void linger(int fd, Object value) throws SocketException, SysException {
    int seconds = Boolean.FALSE.equals(value) ? -1 : number(value, "SO_LINGER");
    Sockets.linger(fd, Math.min(seconds, MOST_LINGER));
  }

  private static void trafficClass(int fd, int value) throws SysException {
    if (KernelSocket.isDual()) {
      Sockets.setsockopt(fd, Sockets.IPPROTO_IPV6, Sockets.IPV6_TCLASS, value);
    }
    Sockets.setsockopt(fd, Sockets.IPPROTO_IP, Sockets.IP_TOS, value);
  }

  /// Linux tells twice what was asked for.
  private static int bufferBytes(int fd, int option) throws SysException {
    return Sockets.getsockopt(fd, Sockets.SOL_SOCKET, option) / 2;
  }

  private static int positive(Object value, String name) throws SocketException {
    int number = number(value, name);
    if (number <= 0) {
      throw new SocketException(name + " <= 0");
    }
    return number;
  }

  static int number(@Nullable Object value, String name) throws SocketException {
    if (value instanceof Integer number) {
      return number;
    }
    throw new SocketException("Bad value for " + name);
  }

  private static boolean truth(@Nullable Object value, String name) throws SocketException {
    if (value instanceof Boolean flag) {
      return flag;
    }
    throw new SocketException("Bad value for " + name);
  }
}
