package sluice.net.stack;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import sluice.net.Ipv4Prefix;
import sluice.net.wire.Checksum;
import sluice.net.wire.Ipv4Header;
import sluice.net.wire.UdpHeader;

/// Implements UDP (RFC 768) over the IPv4 layer of a stack. Instances are owned by the stack's
/// thread.
final class Udp {
  /// The maximum number of sockets. Each received datagram is compared with all sockets.
  static final int MOST_SOCKETS = 64;

  /// The first port of the dynamic range (RFC 6335, section 6).
  private static final int FIRST_DYNAMIC = 49_152;

  private static final int DYNAMIC_BITS = 14;

  /// The maximum length of a datagram, including its header.
  private static final int MOST_BYTES = 0xffff - Ipv4Header.BYTES;

  private final Ipv4Output output;
  private final StackCounters counters;
  private final Ipv4Prefix own;
  private final boolean partialChecksums;
  private final UdpSocket[] sockets = new UdpSocket[MOST_SOCKETS];
  private int count;
  private final SecretNumbers secret;

  Udp(
      Ipv4Output output,
      StackCounters counters,
      Ipv4Prefix own,
      boolean partialChecksums,
      SecretNumbers secret) {
    this.secret = secret;
    this.output = output;
    this.counters = counters;
    this.own = own;
    this.partialChecksums = partialChecksums;
  }

  /// Binds a port.
  ///
  /// @param port the port, or 0 for any free port
  /// @param closed a callback that is invoked with the port number when the socket is closed
  UdpSocket bind(int port, IntConsumer closed) throws IOException {
    int chosen = port == 0 ? dynamicPort() : port;
    if (count == MOST_SOCKETS || find(chosen) != null) {
      throw new IOException(
          "bind(udp "
              + Ipv4Prefix.text(own.address())
              + ":"
              + chosen
              + "): EADDRINUSE\n  Why: "
              + (count == MOST_SOCKETS
                  ? "the stack has all of its " + MOST_SOCKETS + " sockets open"
                  : "a socket of the same stack has the port")
              + "\n  Fix: close one, or another port");
    }
    UdpSocket made = new UdpSocket(this, chosen, closed);
    sockets[count++] = made;
    return made;
  }

  /// Returns a random free port. All 16 384 ports are equally likely (RFC 6056, section 3.3.2).
  private int dynamicPort() {
    while (true) {
      int port = FIRST_DYNAMIC + (int) (secret.next() >>> (Long.SIZE - DYNAMIC_BITS));
      if (find(port) == null) {
        return port;
      }
    }
  }

  @Nullable UdpSocket find(int port) {
    for (int i = 0; i < count; i++) {
      if (sockets[i].port() == port) {
        return sockets[i];
      }
    }
    return null;
  }

  void closeAll() {
    while (count > 0) {
      sockets[count - 1].close();
    }
  }

  void unbind(UdpSocket socket) {
    for (int i = 0; i < count; i++) {
      if (sockets[i].port() == socket.port()) {
        sockets[i] = sockets[--count];
        return;
      }
    }
  }

  /// Returns true if a datagram is complete and its checksum is correct.
  ///
  /// @param bytes the length of the IPv4 payload
  boolean isWhole(MemorySegment memory, long at, int bytes, int source, int target) {
    boolean fits =
        bytes >= UdpHeader.BYTES
            && UdpHeader.length(memory, at) >= UdpHeader.BYTES
            && UdpHeader.length(memory, at) <= bytes;
    if (!fits) {
      counters.malformed++;
      return false;
    }
    boolean intact = isIntact(memory, at, source, target);
    counters.badChecksums += intact ? 0 : 1;
    return intact;
  }

  private boolean isIntact(MemorySegment memory, long at, int source, int target) {
    int checksum = UdpHeader.checksum(memory, at);
    if (checksum == 0) {
      return true;
    }
    int length = UdpHeader.length(memory, at);
    int pseudo = Checksum.pseudoHeader(source, target, Ipv4Header.UDP, length);
    return Checksum.add(pseudo, Checksum.sum(memory, at, length)) == 0xffff
        || (partialChecksums && checksum == pseudo);
  }

  void deliver(UdpSocket socket, MemorySegment memory, long at, int source) {
    counters.datagrams++;
    socket
        .receiver()
        .received(
            memory,
            at + UdpHeader.BYTES,
            UdpHeader.length(memory, at) - UdpHeader.BYTES,
            source,
            UdpHeader.sourcePort(memory, at));
  }

  boolean send(MemorySegment memory, long at, int length, int fromPort, int address, int toPort) {
    if (length < 0 || length > MOST_BYTES - UdpHeader.BYTES) {
      throw new IllegalArgumentException("a datagram of " + length + " bytes");
    }
    long header = at - UdpHeader.BYTES;
    int bytes = UdpHeader.BYTES + length;
    int pseudo = Checksum.pseudoHeader(own.address(), address, Ipv4Header.UDP, bytes);
    UdpHeader.write(memory, header, fromPort, toPort, bytes, pseudo);
    return output.send(address, Ipv4Header.UDP, memory, header, bytes);
  }
}
