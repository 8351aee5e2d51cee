package sluice.nio.sockets;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketImpl;
import org.jspecify.annotations.Nullable;

/// A factory of the sockets that `new Socket()` would create without an installed factory. It
/// accesses `java.net`, which the agent opens to this module. Stateless: any thread may call.
final class JdkSockets {
  private final MethodHandle platform;
  private final MethodHandle socks;

  private JdkSockets(MethodHandles.Lookup lookup) throws ReflectiveOperationException {
    MethodHandles.Lookup inside = MethodHandles.privateLookupIn(SocketImpl.class, lookup);
    platform =
        inside.findStatic(
            SocketImpl.class,
            "createPlatformSocketImpl",
            MethodType.methodType(SocketImpl.class, boolean.class));
    Class<?> type = inside.findClass("java.net.SocksSocketImpl");
    MethodHandle constructor =
        MethodHandles.privateLookupIn(type, lookup)
            .findConstructor(type, MethodType.methodType(void.class, SocketImpl.class));
    socks = constructor.asType(MethodType.methodType(SocketImpl.class, SocketImpl.class));
  }

  /// Returns the factory.
  ///
  /// @return null if `java.net` is not open to this module
  static @Nullable JdkSockets find() {
    try {
      return new JdkSockets(MethodHandles.lookup());
    } catch (ReflectiveOperationException closed) {
      return null;
    }
  }

  /// Returns an unconnected socket of the JDK, with proxy support.
  Socket open() throws SocketException {
    try {
      SocketImpl direct = (SocketImpl) platform.invokeExact(false);
      return new Plain((SocketImpl) socks.invokeExact(direct));
    } catch (SocketException | RuntimeException | Error problem) {
      throw problem;
    } catch (Throwable problem) {
      throw new AssertionError(problem);
    }
  }

  /// A socket with the constructor that takes an implementation.
  private static final class Plain extends Socket {
    Plain(SocketImpl implementation) throws SocketException {
      super(implementation);
    }
  }
}
