package sluice.isocket;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketOption;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import sluice.sys.Files;
import sluice.sys.Sockets;
import sluice.sys.sockets.NumberedOptions;
import sluice.sys.sockets.OptionTable;

/// The common part of connecting and listening isockets, which manages the descriptor, the options
/// and binding. Any thread may call.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `descriptor`, `closed` | any thread | under this object's lock | the same |
/// | `timeoutMillis` | any thread | volatile | volatile |
abstract class KernelImpl extends SocketImpl {
  private final OptionTable options;
  private int descriptor = -1;
  private boolean closed;
  volatile int timeoutMillis;

  KernelImpl(boolean server) {
    options = server ? OptionTable.SERVER_SOCKET : OptionTable.SOCKET;
  }

  // ---- descriptor -----------------------------------------------------------------------------

  /// Returns the descriptor. The caller must hold the lock while using it.
  final int descriptor() throws SocketException {
    if (closed) {
      throw new SocketException("Socket closed");
    }
    if (descriptor < 0) {
      throw new SocketException("Socket not created");
    }
    return descriptor;
  }

  final synchronized void opened(int fd) throws SocketException {
    if (closed) {
      throw new SocketException("Socket closed");
    }
    descriptor = fd;
  }

  /// Marks the socket as closed. The caller is responsible for closing the descriptor.
  ///
  /// @return true if this is the first call
  final synchronized boolean markClosed() {
    boolean first = !closed;
    closed = true;
    return first;
  }

  final synchronized boolean isClosed() {
    return closed;
  }

  final synchronized void closeDescriptor() {
    if (descriptor >= 0) {
      Files.close(descriptor);
      descriptor = -1;
    }
  }

  @Override
  protected void create(boolean stream) throws IOException {
    if (!stream) {
      throw new IOException("Datagram socket creation not supported");
    }
    int fd = KernelSocket.open();
    try {
      opened(fd);
    } catch (SocketException e) {
      Files.close(fd);
      throw e;
    }
  }

  @Override
  protected synchronized void bind(InetAddress host, int port) throws IOException {
    KernelSocket.bind(descriptor(), host, port);
    InetSocketAddress local = KernelSocket.local(descriptor());
    address = host;
    localport = local == null ? 0 : local.getPort();
  }

  // ---- options --------------------------------------------------------------------------------

  @Override
  protected Set<SocketOption<?>> supportedOptions() {
    return options.names();
  }

  @Override
  protected synchronized <T> void setOption(SocketOption<T> name, T value) throws IOException {
    options.check(name, value);
    options.set(descriptor(), KernelSocket.FAMILY, name, value);
  }

  @Override
  protected synchronized <T> T getOption(SocketOption<T> name) throws IOException {
    options.check(name);
    return options.get(descriptor(), KernelSocket.FAMILY, name);
  }

  @Override
  public synchronized void setOption(int option, Object value) throws SocketException {
    int _ = descriptor();
    if (option != SO_TIMEOUT) {
      NumberedOptions.set(this::setOption, option, value);
    } else if (value instanceof Integer millis && millis >= 0) {
      timeoutMillis = millis;
    } else {
      throw new SocketException("Bad value for SO_TIMEOUT: " + value);
    }
  }

  @Override
  public synchronized @Nullable Object getOption(int option) throws SocketException {
    int fd = descriptor();
    if (option == SO_TIMEOUT) {
      return timeoutMillis;
    }
    if (option == SO_BINDADDR) {
      InetSocketAddress local = KernelSocket.local(fd);
      return local == null ? null : local.getAddress();
    }
    return NumberedOptions.get(this::getOption, option);
  }

  /// Interrupts blocking kernel calls on the descriptor by shutting down the socket.
  final synchronized void interruptKernel() {
    if (descriptor >= 0) {
      Sockets.shutdown(descriptor, Sockets.SHUT_RDWR);
    }
  }
}
