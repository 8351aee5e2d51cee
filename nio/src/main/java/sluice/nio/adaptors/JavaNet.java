package sluice.nio.adaptors;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/// Access to internals of `java.net` that the JDK's adaptors use. It is available if that package
/// is open to this module (`--add-opens java.base/java.net=sluice.nio`), which the agent and
/// `sluice run` arrange. Stateless, so any thread may call it.
final class JavaNet {
  /// The instance, or null if the package is not open.
  private static final @Nullable JavaNet INSIDE = open();

  private final SocketAddress noDelegate;
  private final VarHandle length;
  private final VarHandle room;
  private final MethodHandle newInterface;

  private JavaNet(MethodHandles.Lookup lookup) throws ReflectiveOperationException {
    MethodHandles.Lookup sockets = MethodHandles.privateLookupIn(DatagramSocket.class, lookup);
    MethodHandles.Lookup packets = MethodHandles.privateLookupIn(DatagramPacket.class, lookup);
    MethodHandles.Lookup networks = MethodHandles.privateLookupIn(NetworkInterface.class, lookup);
    noDelegate =
        (SocketAddress)
            sockets
                .findStaticVarHandle(DatagramSocket.class, "NO_DELEGATE", SocketAddress.class)
                .get();
    length = packets.findVarHandle(DatagramPacket.class, "length", int.class);
    room = packets.findVarHandle(DatagramPacket.class, "bufLength", int.class);
    newInterface =
        networks.findConstructor(
            NetworkInterface.class,
            MethodType.methodType(void.class, String.class, int.class, InetAddress[].class));
  }

  private static @Nullable JavaNet open() {
    try {
      return new JavaNet(MethodHandles.lookup());
    } catch (ReflectiveOperationException closed) {
      return null;
    }
  }

  /// Returns the instance, or null if `java.net` is not open to this module.
  static @Nullable JavaNet inside() {
    return INSIDE;
  }

  /// Returns the address that prevents the constructor of `DatagramSocket` from opening a socket.
  SocketAddress noDelegate() {
    return noDelegate;
  }

  /// Returns the maximum number of bytes that can be received into the given packet.
  int room(DatagramPacket packet) {
    return (int) room.get(packet);
  }

  /// Sets the number of bytes received into a packet without changing the packet's capacity.
  void received(DatagramPacket packet, int bytes) {
    length.set(packet, bytes);
  }

  /// Returns the interface object that means "no interface".
  NetworkInterface anyInterface() {
    InetAddress any = new InetSocketAddress(0).getAddress();
    try {
      return (NetworkInterface)
          newInterface.invokeExact(any.getHostName(), 0, new InetAddress[] {any});
    } catch (RuntimeException | Error problem) {
      throw problem;
    } catch (Throwable problem) {
      throw new AssertionError(problem);
    }
  }
}
