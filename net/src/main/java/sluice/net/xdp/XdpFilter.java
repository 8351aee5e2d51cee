package sluice.net.xdp;

import java.io.IOException;
import java.nio.ByteOrder;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.SysException;
import sluice.sys.xdp.Bpf;
import sluice.sys.xdp.BpfProgram;

/// The BPF program that is attached to an interface, together with its maps. It selects the frames
/// for the sockets of the stack. Instances are owned by the thread that opens it.
///
/// ```
///  r6 = context, r2 = first byte, r3 = end; each load is behind a check of the frame's length
///  tag of VLAN 0 ─▶ skipped: it says a priority; any other   ─▶ pass
///  type ARP      ─▶ target or sender is ours, and we own the address?  ─▶ take
///  type IPv4     ─▶ destination is ours?
///                     we own the address              ─▶ take
///                     UDP, whole, without options,
///                     and its port is in the map      ─▶ take
///  take: redirect to the socket of this queue; where there is none, pass
///  pass: the kernel gets the frame as if there were no program
/// ```
///
/// The kernel detaches the program when the descriptor of the link is closed, which also happens
/// when the process terminates.
final class XdpFilter implements AutoCloseable {
  /// The maximum number of owned UDP ports.
  private static final int MOST_PORTS = 64;

  private static final int TRIES = 200;
  private static final String NAME = "sluice_net";

  /// The reason for the generic mode according to measurements, see `docs/decisions/net.md`.
  private static final String VIRTUAL =
      "the interface is virtual, copies, and is faster behind the driver";

  /// The length of the Ethernet and IPv4 headers. The last fragment of a packet may contain only a
  /// single byte after these headers.
  private static final int LEAST_BYTES = 34;

  /// The length of a frame with an ARP packet or a UDP header.
  private static final int WHOLE_BYTES = 42;

  private static final int TYPE_ARP = 0x0806;
  private static final int TYPE_TAGGED = 0x8100;
  private static final int TAG_NUMBER = 0x0fff;
  private static final int TAG_BYTES = 4;
  private static final int TYPE_IPV4 = 0x0800;
  private static final int UDP = 17;
  private static final int FRAGMENT = 0x3fff;

  private final int sockets;
  private final int ports;
  private int program = -1;
  private int link = -1;
  private boolean isNative;
  private String why = "";
  private boolean closed;

  private XdpFilter(int sockets, int ports) {
    this.sockets = sockets;
    this.ports = ports;
  }

  /// Loads the program. [#attach] must be called next.
  ///
  /// @param address the address of the stack, in host order
  /// @param owned true to select ARP and all packets for the address
  /// @param several true if packets may arrive in several buffers
  static XdpFilter load(int address, boolean owned, int queues, boolean several)
      throws SysException {
    int sockets = Bpf.createMap(Bpf.BPF_MAP_TYPE_XSKMAP, queues);
    XdpFilter made;
    try {
      made = new XdpFilter(sockets, Bpf.createMap(Bpf.BPF_MAP_TYPE_HASH, MOST_PORTS));
    } catch (SysException e) {
      int _ = Files.close(sockets);
      throw e;
    }
    try {
      made.load(made.assemble(network(address), owned), several);
      return made;
    } catch (SysException | RuntimeException e) {
      made.close();
      throw e;
    }
  }

  private void load(BpfProgram assembled, boolean several) throws SysException {
    if (several) {
      try {
        program = Bpf.load(assembled, NAME, Bpf.BPF_F_XDP_HAS_FRAGS);
        return;
      } catch (SysException e) {
        if (e.errno() != Errno.EINVAL) {
          throw e;
        }
      } // before Linux 5.18
    }
    program = Bpf.load(assembled, NAME, 0);
  }

  /// Converts a number to network byte order, in the form in which it is loaded by the program.
  private static int network(int value) {
    return ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? Integer.reverseBytes(value) : value;
  }

  private static int network16(int value) {
    return network(value) >>> (ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? 16 : 0);
  }

  private BpfProgram assemble(int address, boolean owned) {
    BpfProgram program = new BpfProgram();
    program.move(6, 1).load(4, 2, 1, 0).load(4, 3, 1, 4);
    program.move(4, 2).plus(4, LEAST_BYTES).jumpIfGreater(4, 3, "pass");
    program.load(2, 5, 2, 12).jumpUnless(5, network16(TYPE_TAGGED), "untagged");
    program.load(2, 5, 2, 14).and(5, network16(TAG_NUMBER)).jumpUnless(5, 0, "pass");
    program.plus(2, TAG_BYTES).move(4, 2).plus(4, LEAST_BYTES).jumpIfGreater(4, 3, "pass");
    program.label("untagged").load(2, 5, 2, 12);
    if (owned) {
      program.jumpIf(5, network16(TYPE_ARP), "arp");
    }
    program.jumpUnless(5, network16(TYPE_IPV4), "pass");
    program.load(4, 5, 2, 30).jumpUnless32(5, address, "pass");
    if (!owned) {
      program.move(4, 2).plus(4, WHOLE_BYTES).jumpIfGreater(4, 3, "pass");
      program.load(1, 5, 2, 23).jumpUnless(5, UDP, "pass");
      program.load(1, 5, 2, 14).jumpUnless(5, 0x45, "pass");
      program.load(2, 5, 2, 20).and(5, network16(FRAGMENT)).jumpUnless(5, 0, "pass");
      program.load(2, 5, 2, 36).store(10, -4, 5);
      program.map(1, ports).move(2, 10).plus(2, -4).lookUp().jumpIf(0, 0, "pass");
    }
    program.label("take").load(4, 2, 6, 16).map(1, sockets);
    program.constant(3, Bpf.XDP_PASS).redirect().exit();
    if (owned) {
      program.label("arp").move(4, 2).plus(4, WHOLE_BYTES).jumpIfGreater(4, 3, "pass");
      program.load(4, 5, 2, 38).jumpIf32(5, address, "take again");
      program.load(4, 5, 2, 28).jumpUnless32(5, address, "pass");
      program.label("take again").load(4, 2, 6, 16).map(1, sockets);
      program.constant(3, Bpf.XDP_PASS).redirect().exit();
    }
    program.label("pass").constant(0, Bpf.XDP_PASS).exit();
    return program;
  }

  /// Redirects the frames of a queue to a socket.
  void give(int queue, int socket) throws SysException {
    Bpf.update(sockets, queue, socket);
  }

  /// Attaches the program in native mode or in generic mode, depending on which mode is supported.
  ///
  /// @param nativeFirst true to try native mode first, in which the program runs in the driver
  void attach(int interfaceIndex, boolean nativeFirst) throws IOException {
    int first = nativeFirst ? Bpf.XDP_FLAGS_DRV_MODE : Bpf.XDP_FLAGS_SKB_MODE;
    int second = Bpf.XDP_FLAGS_DRV_MODE + Bpf.XDP_FLAGS_SKB_MODE - first;
    int result = tryAttach(interfaceIndex, first);
    isNative = nativeFirst;
    why = nativeFirst ? "" : VIRTUAL;
    if (result < 0 && result != -Errno.EBUSY && result != -Errno.EPERM) {
      why = "the first way was refused: " + Errno.name(-result);
      result = tryAttach(interfaceIndex, second);
      isNative = !nativeFirst;
    }
    link = (int) SysException.check(result, "XdpFilter.attach", "interface " + interfaceIndex);
  }

  /// Attaches the program. The operation is retried while the program of a terminated process is
  /// being detached.
  private int tryAttach(int interfaceIndex, int flags) throws IOException {
    int result = -Errno.EBUSY;
    for (int i = 0; i < TRIES && result == -Errno.EBUSY; i++) {
      if (i > 0) {
        XdpQueue.pause();
      }
      result = Bpf.attach(program, interfaceIndex, flags);
    }
    return result;
  }

  /// Returns the reason for the mode, or an empty string if the mode is the one for hardware.
  String why() {
    return why;
  }

  boolean isNative() {
    return isNative;
  }

  /// Redirects the datagrams of a port from the kernel to the stack. This does not require
  /// privileges.
  void own(int port) throws SysException {
    Bpf.update(ports, network16(port), 1);
  }

  void disown(int port) {
    int _ = Bpf.delete(ports, network16(port));
  }

  /// Detaches the program. This method is idempotent.
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      for (int fd : new int[] {link, program, ports, sockets}) {
        if (fd >= 0) {
          int _ = Files.close(fd);
        }
      }
    }
  }
}
