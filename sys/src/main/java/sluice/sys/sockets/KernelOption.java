package sluice.sys.sockets;

import java.io.IOException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import org.jspecify.annotations.Nullable;
import sluice.sys.Sockets;
import sluice.sys.SysException;

/// The kernel's form of a socket option. Immutable; the caller keeps the descriptor open and has
/// checked the type of the value.
interface KernelOption {
  /// Reads the option.
  ///
  /// @return the value in the option's type; null if there is none
  @Nullable Object get(int fd, StandardProtocolFamily family) throws IOException;

  /// Sets the option.
  ///
  /// @throws IllegalArgumentException if the value is out of range
  void set(int fd, StandardProtocolFamily family, Object value) throws IOException;

  /// A number that the kernel uses unchanged.
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

  /// A number that is set by other parts of the kernel.
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

  /// A boolean.
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

  /// The size of a socket's buffer in bytes.
  ///
  /// @param least the minimum, to which smaller values are raised
  /// @param which for errors
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

  /// The number of seconds that a close waits; negative means that it does not.
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

  /// A byte of the packets of both IP versions: an IPv6 socket sends both.
  ///
  /// @param v4 option of `IPPROTO_IP`
  /// @param v6 option of `IPPROTO_IPV6`
  /// @param problem message for values that are not bytes
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

  /// A boolean for both IP versions.
  ///
  /// @param v4 option of `IPPROTO_IP`
  /// @param v6 option of `IPPROTO_IPV6`
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

  /// The permission to fragment packets, which for the kernel is a mode of path MTU discovery.
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
