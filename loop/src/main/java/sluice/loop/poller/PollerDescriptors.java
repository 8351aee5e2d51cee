package sluice.loop.poller;

import java.io.FileDescriptor;
import java.io.IOException;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;
import java.net.DatagramSocket;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.Channel;
import sluice.sys.threads.ModuleOption;

/// Looks up the descriptor of a channel or socket. Stateless.
///
/// | kind | needs |
/// |---|---|
/// | [DescriptorChannel] | nothing |
/// | a channel of the JDK, and a socket made by one | export of `sun.nio.ch` |
/// | `DatagramSocket` | also `java.net` opened, to see the channel inside |
/// | `Socket`, `ServerSocket` | `java.net` and `java.io` opened |
final class PollerDescriptors {
  private PollerDescriptors() {}

  /// Returns the descriptor of a channel or socket.
  ///
  /// @return the descriptor's number, or -1 if it is closed, because the number may already refer
  ///   to another file
  /// @throws IOException if it cannot be determined; the message states the flag that would allow
  ///   it
  static int of(Object source) throws IOException {
    if (source instanceof DescriptorChannel ours) {
      return ours.descriptor();
    }
    if (source instanceof Channel channel && !channel.isOpen()) {
      return -1;
    }
    try {
      return switch (source) {
        case Channel channel -> ofChannel(channel);
        case Socket socket -> {
          Channel channel = socket.getChannel();
          yield channel != null ? of(channel) : ofImplementation(Socket.class, socket);
        }
        case ServerSocket socket -> {
          Channel channel = socket.getChannel();
          yield channel != null ? of(channel) : ofImplementation(ServerSocket.class, socket);
        }
        case DatagramSocket socket -> ofDatagram(socket);
        default -> throw unsuitable(source);
      };
    } catch (ReflectiveOperationException | InaccessibleObjectException e) {
      throw inaccessible(source, e);
    }
  }

  private static int ofChannel(Channel channel) throws IOException, ReflectiveOperationException {
    Class<?> selectable = Class.forName("sun.nio.ch.SelChImpl");
    if (!selectable.isInstance(channel)) {
      throw unsuitable(channel);
    }
    return (int) selectable.getMethod("getFDVal").invoke(channel);
  }

  private static int ofDatagram(DatagramSocket socket)
      throws IOException, ReflectiveOperationException {
    if (socket.getChannel() != null) {
      return of(socket.getChannel());
    }
    Field delegate = DatagramSocket.class.getDeclaredField("delegate");
    Object inner = open(delegate).get(socket);
    if (!(inner instanceof DatagramSocket adaptor) || adaptor.getChannel() == null) {
      throw unsuitable(socket);
    }
    return of(adaptor.getChannel());
  }

  /// Returns the descriptor of a socket that was not created by a channel. The socket contains a
  /// `SocketImpl`, possibly wrapped in another one, which contains the `FileDescriptor`.
  private static int ofImplementation(Class<?> type, Object socket)
      throws IOException, ReflectiveOperationException {
    Field field = type.getDeclaredField("impl");
    Object implementation = open(field).get(socket);
    Class<?> wrapper = Class.forName("java.net.DelegatingSocketImpl");
    if (wrapper.isInstance(implementation)) {
      implementation = open(wrapper.getDeclaredField("delegate")).get(implementation);
    }
    if (implementation == null) {
      return -1;
    }
    Method getter = Class.forName("java.net.SocketImpl").getDeclaredMethod("getFileDescriptor");
    Object descriptor = open(getter).invoke(implementation);
    return descriptor == null
        ? -1
        : (int) open(FileDescriptor.class.getDeclaredField("fd")).get(descriptor);
  }

  private static <T extends AccessibleObject> T open(T member) {
    member.setAccessible(true);
    return member;
  }

  private static IOException unsuitable(Object source) {
    return new IOException(
        "Poller.add("
            + source.getClass().getName()
            + "): no descriptor to be found.\n  Why: it is neither a DescriptorChannel nor a"
            + " selectable channel or a socket of the JDK (SSL sockets wrap another one)"
            + "\n  Fix: add the channel or socket inside it, or the descriptor's number");
  }

  private static IOException inaccessible(Object source, Exception cause) {
    String to = ModuleOption.moduleOf(PollerDescriptors.class);
    String flags =
        source instanceof Channel
            ? "--add-exports java.base/sun.nio.ch=" + to
            : "--add-exports java.base/sun.nio.ch=%s --add-opens java.base/java.net=%s"
                .concat(" --add-opens java.base/java.io=%s")
                .replace("%s", to);
    return new IOException(
        "Poller.add("
            + source.getClass().getName()
            + "): its descriptor is not accessible.\n  Why: the JDK shows it to no other module"
            + "\n  Fix: start java with "
            + flags
            + ", use a channel of module nio, or add the descriptor's number",
        cause);
  }
}
