package sluice.loop.datagrams;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import sluice.sys.SocketAddresses;

/// The sender of a datagram and the local address to which it was sent, which together determine
/// the addresses of a reply. Valid for the port that created it. Owned by the loop's thread.
public final class DatagramPeer {
  /// `struct sockaddr_in`: family in native order, port and address in network order.
  private static final int SOCKADDR_IN_BYTES = 16;

  private static final int PORT_AT = 2;
  private static final int ADDRESS_AT = 4;
  private static final VarHandle NAMES =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.nativeOrder());
  private static final VarHandle PORTS =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle ADDRESSES =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

  private final byte[] name = new byte[SocketAddresses.STORAGE_BYTES];
  private final byte[] control = new byte[64];
  private int nameBytes;
  private int controlBytes;

  DatagramPeer() {}

  /// Returns a peer that has not yet sent a datagram.
  public static DatagramPeer of(Inet4Address address, int port) {
    DatagramPeer made = new DatagramPeer();
    made.set((int) ADDRESSES.get(address.getAddress(), 0), port);
    return made;
  }

  /// Returns an immutable copy.
  public DatagramPeer keep() {
    DatagramPeer copy = new DatagramPeer();
    copy.nameBytes = nameBytes;
    copy.controlBytes = controlBytes;
    System.arraycopy(name, 0, copy.name, 0, nameBytes);
    System.arraycopy(control, 0, copy.control, 0, controlBytes);
    return copy;
  }

  void set(MemorySegment from, long nameAt, int ofName, long controlAt, int ofControl) {
    nameBytes = ofName;
    controlBytes = ofControl;
    MemorySegment.copy(from, ValueLayout.JAVA_BYTE, nameAt, name, 0, ofName);
    MemorySegment.copy(from, ValueLayout.JAVA_BYTE, controlAt, control, 0, ofControl);
  }

  /// Sets a sender that was not received from the kernel, in the kernel's format.
  void set(int address, int port) {
    nameBytes = SOCKADDR_IN_BYTES;
    controlBytes = 0;
    NAMES.set(name, 0, (short) SocketAddresses.AF_INET);
    PORTS.set(name, PORT_AT, (short) port);
    ADDRESSES.set(name, ADDRESS_AT, address);
  }

  /// Returns the IPv4 address of a sender that was set numerically.
  int internetAddress() {
    return (int) ADDRESSES.get(name, ADDRESS_AT);
  }

  int port() {
    return (short) PORTS.get(name, PORT_AT) & 0xffff;
  }

  int nameBytes() {
    return nameBytes;
  }

  int controlBytes() {
    return controlBytes;
  }

  void copyName(MemorySegment to, long at) {
    MemorySegment.copy(name, 0, to, ValueLayout.JAVA_BYTE, at, nameBytes);
  }

  void copyControl(MemorySegment to, long at) {
    MemorySegment.copy(control, 0, to, ValueLayout.JAVA_BYTE, at, controlBytes);
  }

  /// Returns true if both peers have the same address and port.
  public boolean sameSender(DatagramPeer other) {
    return Arrays.equals(name, 0, nameBytes, other.name, 0, other.nameBytes);
  }

  /// Returns the sender's address as a new object.
  ///
  /// @return the address, or null if it is not an Internet address
  public @Nullable InetSocketAddress address() {
    MemorySegment bytes = MemorySegment.ofArray(name);
    return SocketAddresses.decode(bytes, nameBytes) instanceof InetSocketAddress inet ? inet : null;
  }
}
