package sluice.nio.sockets;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketImpl;
import org.jspecify.annotations.Nullable;

/// A factory that creates the same sockets as `new Socket()` would create if no factory were
/// installed. It accesses `java.net`, which the agent opens to this module. Stateless, so any
/// thread may call it.
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

  /// Returns the factory, or null if `java.net` is not open to this module.
  static @Nullable JdkSockets find() {
    try {
      return new JdkSockets(MethodHandles.lookup());
    } catch (ReflectiveOperationException closed) {
      return null;
    }
  }

  /// Returns an unconnected socket of the JDK that supports proxies.
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

  /// Exposes the constructor that takes an implementation.
  private static final class Plain extends Socket {
    Plain(SocketImpl implementation) throws SocketException {
      super(implementation);
    }
  }
}
