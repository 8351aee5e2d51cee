package sluice.nfs.rpc;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import sluice.sys.SocketAddresses;

/// The kernel's words for where a datagram came from and which of our addresses it was sent to.
/// Owned by the loop's thread.
final class DatagramPeer {
  private final byte[] name = new byte[SocketAddresses.STORAGE_BYTES];
  private final byte[] control = new byte[64];
  private int nameBytes;
  private int controlBytes;

  void set(MemorySegment from, long nameAt, int ofName, long controlAt, int ofControl) {
    nameBytes = ofName;
    controlBytes = ofControl;
    MemorySegment.copy(from, ValueLayout.JAVA_BYTE, nameAt, name, 0, ofName);
    MemorySegment.copy(from, ValueLayout.JAVA_BYTE, controlAt, control, 0, ofControl);
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

  /// Whether both came from the same address and port.
  boolean sameName(DatagramPeer other) {
    return Arrays.equals(name, 0, nameBytes, other.name, 0, other.nameBytes);
  }

  /// Null when it is no internet address.
  @Nullable InetSocketAddress address() {
    MemorySegment bytes = MemorySegment.ofArray(name);
    return SocketAddresses.decode(bytes, nameBytes) instanceof InetSocketAddress inet ? inet : null;
  }
}
