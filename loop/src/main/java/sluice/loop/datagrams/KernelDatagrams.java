package sluice.loop.datagrams;

import java.io.IOException;
import java.net.InetSocketAddress;
import sluice.loop.DescriptorWatch;
import sluice.loop.Loop;
import sluice.memory.Account;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.SocketAddresses;
import sluice.sys.Sockets;
import sluice.sys.SysException;

/// A datagram port on a UDP socket, for which the loop waits in addition to its connections. Owned
/// by the loop's thread.
final class KernelDatagrams extends HandledDatagrams {
  private static final int SOCKET_BUFFER_BYTES = 4 << 20;

  /// The maximum number of system calls before the rest of the loop is served.
  private static final int BATCHES = 4;

  private final int fd;
  private final DescriptorWatch watch;
  private final DatagramBatch incoming;
  private final DatagramBatch outgoing;
  private final DatagramOutput output;

  private KernelDatagrams(Loop loop, int fd, InetSocketAddress address, DatagramHandler handler) {
    super(loop, address, handler);
    this.fd = fd;
    this.watch = loop.watch(fd, this::ready);
    Account account = new Account(loop.name() + " datagrams", Long.MAX_VALUE / 2);
    this.incoming = DatagramBatch.allocate(account);
    this.outgoing = DatagramBatch.allocate(account);
    this.output = new DatagramOutput(this::stage, outgoing.block());
  }

  static KernelDatagrams open(Loop loop, InetSocketAddress wanted, DatagramHandler handler)
      throws IOException {
    int family = SocketAddresses.family(wanted);
    int fd = Sockets.socket(family, Sockets.SOCK_DGRAM | Sockets.SOCK_NONBLOCK, 0);
    KernelDatagrams made;
    try {
      boolean v4 = family == SocketAddresses.AF_INET;
      Sockets.setsockopt(
          fd,
          v4 ? Sockets.IPPROTO_IP : Sockets.IPPROTO_IPV6,
          v4 ? Sockets.IP_PKTINFO : Sockets.IPV6_RECVPKTINFO,
          1);
      Sockets.setsockopt(fd, Sockets.SOL_SOCKET, Sockets.SO_RCVBUF, SOCKET_BUFFER_BYTES);
      Sockets.setsockopt(fd, Sockets.SOL_SOCKET, Sockets.SO_SNDBUF, SOCKET_BUFFER_BYTES);
      Sockets.bind(fd, wanted);
      InetSocketAddress bound =
          Sockets.getsockname(fd) instanceof InetSocketAddress inet ? inet : wanted;
      made = new KernelDatagrams(loop, fd, bound, handler);
    } catch (SysException | RuntimeException e) {
      Files.close(fd);
      throw e;
    }
    made.closeWithLoop();
    if (!made.watch.arm(DescriptorWatch.READABLE)) {
      made.close();
      throw new UnsupportedOperationException(
          "the engine of "
              + loop.name()
              + " waits for no descriptors. Fix: another backend than jdk");
    }
    return made;
  }

  // ---- receiving ----------------------------------------------------------------------------

  private void ready() {
    for (int i = 0; i < BATCHES && !closed; i++) {
      int count = incoming.receive(fd);
      if (count <= 0) {
        if (count == -Errno.EAGAIN || i > 0) {
          break;
        }
        continue; // an error that came back for a datagram of ours: there may be others behind it
      }
      handling = true;
      for (int slot = 0; slot < count && !closed; slot++) {
        handle(slot);
      }
      handling = false;
      flush();
      if (count < DatagramBatch.SLOTS) {
        break;
      }
    }
    if (!closed) {
      watch.arm(DescriptorWatch.READABLE);
    }
  }

  private void handle(int slot) {
    received++;
    int bytes = incoming.length(slot);
    if (bytes < 0) {
      dropped++;
      return;
    }
    incoming.peer(slot, from);
    handle(incoming.show(slot, bytes, binder));
  }

  // ---- sending ------------------------------------------------------------------------------

  @Override
  DatagramOutput output() {
    return output;
  }

  @Override
  public DatagramOutput to(DatagramPeer peer) {
    checkOpen();
    if (outgoing.full()) {
      flush();
    }
    to = peer;
    return output.begin(outgoing.place());
  }

  /// Stages the completed datagram.
  private void stage(int bytes) {
    outgoing.add(bytes, to);
    noteStaged();
  }

  @Override
  public void flush() {
    if (closed) {
      return;
    }
    output.discard();
    int staged = outgoing.staged();
    int lost = outgoing.send(fd);
    sent += staged - lost;
    dropped += lost;
  }

  @Override
  void end() {
    watch.close();
    Files.close(fd);
    incoming.close();
    outgoing.close();
  }
}
