package sluice.sys.sockets;

import java.io.IOException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import org.jspecify.annotations.Nullable;
import sluice.sys.Sockets;
import sluice.sys.SysException;

/// The representation of a socket option in the kernel. Implementations are immutable. The caller
/// must keep the descriptor open and must have checked the type of the value.
interface KernelOption {
  /// Reads the value of the option.
  ///
  /// @return the value in the type of the option, or null if there is none
  @Nullable Object get(int fd, StandardProtocolFamily family) throws IOException;

  /// Sets the value of the option.
  ///
  /// @throws IllegalArgumentException if the value is out of range
  void set(int fd, StandardProtocolFamily family, Object value) throws IOException;

  /// An option with a numeric value that is passed to the kernel unchanged.
  record Amount(int level, int option) implements KernelOption {
    @Override
    public Object get(int fd, StandardProtocolFamily family) throws IOException {
      return getInt(fd, level, option);
    }

    @Override
    public void set(int fd, StandardProtocolFamily family, Object value) throws IOException {
      setInt(fd, level, option, (Integer) value);
    }
  }

  /// An option that can be read but not set, because its value is set by other parts of the kernel.
  record ReadOnly(String name, KernelOption option) implements KernelOption {
    @Override
    public @Nullable Object get(int fd, StandardProtocolFamily family) throws IOException {
      return option.get(fd, family);
    }

    @Override
    public void set(int fd, StandardProtocolFamily family, Object value) throws IOException {
      throw new SocketException("Unable to set socket option " + name);
    }
  }

  /// An option with a boolean value.
  record Flag(int level, int option) implements KernelOption {
    @Override
    public Object get(int fd, StandardProtocolFamily family) throws IOException {
      return getInt(fd, level, option) != 0;
    }

    @Override
    public void set(int fd, StandardProtocolFamily family, Object value) throws IOException {
      setInt(fd, level, option, (Boolean) value ? 1 : 0);
    }
  }

  /// The size of a socket buffer in bytes.
  ///
  /// @param least the minimum size, to which smaller values are raised
  /// @param which the name of the buffer in error messages
  record BufferSize(int option, int least, String which) implements KernelOption {
    @Override
    public Object get(int fd, StandardProtocolFamily family) throws IOException {
      return getInt(fd, Sockets.SOL_SOCKET, option) / 2; // Linux reports twice the requested size
    }

    @Override
    public void set(int fd, StandardProtocolFamily family, Object value) throws IOException {
      int bytes = (Integer) value;
      if (bytes < 0) {
        throw new IllegalArgumentException("Invalid " + which + " buffer size");
      }
      setInt(fd, Sockets.SOL_SOCKET, option, Math.max(bytes, least));
    }
  }

  /// The number of seconds for which a close waits, or a negative value if it does not wait.
  record Linger() implements KernelOption {
    private static final int MOST = 65_535;

    @Override
    public Object get(int fd, StandardProtocolFamily family) throws IOException {
      return SocketErrors.translate(() -> Sockets.linger(fd));
    }

    @Override
    public void set(int fd, StandardProtocolFamily family, Object value) throws IOException {
      int seconds = Math.min((Integer) value, MOST);
      run(() -> Sockets.linger(fd, seconds));
    }
  }

  /// An option that sets a byte of the packets of both IP versions, because an IPv6 socket sends
  /// both.
  ///
  /// @param v4 the option of `IPPROTO_IP`
  /// @param v6 the option of `IPPROTO_IPV6`
  /// @param problem the message for values that do not fit into a byte
  record PacketByte(int v4, int v6, String problem) implements KernelOption {
    @Override
    public Object get(int fd, StandardProtocolFamily family) throws IOException {
      return getBoth(fd, family, v4, v6);
    }

    @Override
    public void set(int fd, StandardProtocolFamily family, Object value) throws IOException {
      int number = (Integer) value;
      if (number < 0 || number > 255) {
        throw new IllegalArgumentException(problem);
      }
      setBoth(fd, family, v4, v6, number);
    }
  }

  /// An option with a boolean value for both IP versions.
  ///
  /// @param v4 the option of `IPPROTO_IP`
  /// @param v6 the option of `IPPROTO_IPV6`
  record PacketFlag(int v4, int v6) implements KernelOption {
    @Override
    public Object get(int fd, StandardProtocolFamily family) throws IOException {
      return getBoth(fd, family, v4, v6) != 0;
    }

    @Override
    public void set(int fd, StandardProtocolFamily family, Object value) throws IOException {
      setBoth(fd, family, v4, v6, (Boolean) value ? 1 : 0);
    }
  }

  /// The option that permits packets to be fragmented, which the kernel represents as a mode of
  /// path MTU discovery.
  record DontFragment() implements KernelOption {
    @Override
    public Object get(int fd, StandardProtocolFamily family) throws IOException {
      return getInt(fd, Sockets.IPPROTO_IP, Sockets.IP_MTU_DISCOVER) == Sockets.IP_PMTUDISC_DO;
    }

    @Override
    public void set(int fd, StandardProtocolFamily family, Object value) throws IOException {
      int how = (Boolean) value ? Sockets.IP_PMTUDISC_DO : Sockets.IP_PMTUDISC_DONT;
      setInt(fd, Sockets.IPPROTO_IP, Sockets.IP_MTU_DISCOVER, how);
      if (family == StandardProtocolFamily.INET6) {
        setInt(fd, Sockets.IPPROTO_IPV6, Sockets.IPV6_MTU_DISCOVER, how);
      }
    }
  }

  /// A system call.
  interface Action {
    void run() throws SysException;
  }

  private static void run(Action action) throws IOException {
    SocketErrors.translate(() -> {
      action.run();
      return 0;
    });
  }

  static void setInt(int fd, int level, int option, int value) throws IOException {
    run(() -> Sockets.setsockopt(fd, level, option, value));
  }

  static int getInt(int fd, int level, int option) throws IOException {
    return SocketErrors.translate(() -> Sockets.getsockopt(fd, level, option));
  }

  private static void setBoth(int fd, StandardProtocolFamily family, int v4, int v6, int value)
      throws IOException {
    if (family == StandardProtocolFamily.INET6) {
      setInt(fd, Sockets.IPPROTO_IPV6, v6, value);
    }
    setInt(fd, Sockets.IPPROTO_IP, v4, value);
  }

  private static int getBoth(int fd, StandardProtocolFamily family, int v4, int v6)
      throws IOException {
    return family == StandardProtocolFamily.INET6
        ? getInt(fd, Sockets.IPPROTO_IPV6, v6)
        : getInt(fd, Sockets.IPPROTO_IP, v4);
  }
}
