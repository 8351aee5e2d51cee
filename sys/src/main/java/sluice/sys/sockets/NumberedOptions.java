package sluice.sys.sockets;

import java.io.IOException;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.SocketOptions;
import java.net.StandardSocketOptions;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Maps the socket options that are numbered by `java.net.SocketOptions` to their named
/// counterparts. This class is stateless and thread-safe.
public final class NumberedOptions {
  private static final Map<Integer, SocketOption<?>> NAMES =
      Map.of(
          SocketOptions.SO_OOBINLINE, OptionTable.SO_OOBINLINE,
          SocketOptions.TCP_NODELAY, StandardSocketOptions.TCP_NODELAY,
          SocketOptions.SO_REUSEADDR, StandardSocketOptions.SO_REUSEADDR,
          SocketOptions.SO_REUSEPORT, StandardSocketOptions.SO_REUSEPORT,
          SocketOptions.SO_KEEPALIVE, StandardSocketOptions.SO_KEEPALIVE,
          SocketOptions.SO_SNDBUF, StandardSocketOptions.SO_SNDBUF,
          SocketOptions.SO_RCVBUF, StandardSocketOptions.SO_RCVBUF,
          SocketOptions.SO_LINGER, StandardSocketOptions.SO_LINGER,
          SocketOptions.IP_TOS, StandardSocketOptions.IP_TOS);

  private NumberedOptions() {}

  /// An operation that sets an option of a socket.
  public interface Setter {
    <T> void set(SocketOption<T> name, T value) throws IOException;
  }

  /// An operation that reads an option of a socket.
  public interface Getter {
    <T> T get(SocketOption<T> name) throws IOException;
  }

  /// Sets an option that is identified by its number in `SocketOptions`.
  ///
  /// @param value the value; `Boolean.FALSE` disables lingering, as specified by `SocketOptions`
  /// @throws SocketException if the number is unknown, the value has the wrong type, or the socket
  ///   rejects the option
  public static void set(Setter socket, int option, @Nullable Object value) throws SocketException {
    Object given = option == SocketOptions.SO_LINGER && Boolean.FALSE.equals(value) ? -1 : value;
    SocketOption<?> name = name(option);
    if (!name.type().isInstance(given)) {
      throw new SocketException("bad parameter for " + name.name() + ": " + value);
    }
    try {
      set(socket, name, given);
    } catch (IOException problem) {
      throw asSocketException(problem);
    }
  }

  private static <T> void set(Setter socket, SocketOption<T> name, Object value)
      throws IOException {
    socket.set(name, name.type().cast(value));
  }

  /// Reads an option that is identified by its number in `SocketOptions`.
  ///
  /// @throws SocketException if the number is unknown or the socket rejects the option
  public static Object get(Getter socket, int option) throws SocketException {
    try {
      return socket.get(name(option));
    } catch (IOException problem) {
      throw asSocketException(problem);
    }
  }

  private static SocketOption<?> name(int option) throws SocketException {
    SocketOption<?> name = NAMES.get(option);
    if (name == null) {
      throw new SocketException("Unknown option " + option);
    }
    return name;
  }

  /// Returns the exception itself if it is a [SocketException], or a new one with the same message.
  public static SocketException asSocketException(IOException problem) {
    return problem instanceof SocketException known
        ? known
        : new SocketException(String.valueOf(problem.getMessage()), problem);
  }
}
