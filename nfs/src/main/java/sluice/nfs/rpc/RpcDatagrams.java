package sluice.nfs.rpc;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import sluice.loop.DescriptorWatch;
import sluice.loop.Loop;
import sluice.memory.Account;
import sluice.memory.View;
import sluice.memory.ViewBinder;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.SocketAddresses;
import sluice.sys.Sockets;
import sluice.sys.SysException;

/// ONC RPC over UDP, on one socket: a call is a datagram, and so is its reply. Owned by one loop's
/// thread, which waits for the socket beside its connections.
///
/// Datagrams are received and replies sent several at a time. What finds no worker or no memory is
/// dropped: the client sends it again.
final class RpcDatagrams {
  private static final int SOCKET_BUFFER_BYTES = 4 << 20;

  /// Batches that are handled before others get a turn.
  private static final int BATCHES = 4;

  private static final int MOST_PEERS = 4_096;

  private final RpcWorkers workers;
  private final AtomicLong numbers;
  private final Predicate<InetAddress> allowed;
  private final int fd;
  private final InetSocketAddress address;
  private final DescriptorWatch watch;
  private final DatagramBatch incoming;
  private final DatagramBatch outgoing;
  private final ViewBinder binder = new ViewBinder(Thread.currentThread());
  private final RpcCall call = new RpcCall();
  private final XdrReader reader = new XdrReader();
  private final XdrWriter writer = new XdrWriter(DatagramBatch.MOST_BYTES);
  private final Map<InetAddress, RpcConnection> peers = new LinkedHashMap<>(16, 0.75f, true);
  private DatagramPeer peer = new DatagramPeer();
  private DatagramPeer known = new DatagramPeer();
  private @Nullable RpcConnection knownConnection;
  private int knownPort;
  private int passed;
  private boolean closed;

  private RpcDatagrams(
      Loop loop,
      RpcWorkers workers,
      AtomicLong numbers,
      Predicate<InetAddress> allowed,
      int fd,
      InetSocketAddress address) {
    this.workers = workers;
    this.numbers = numbers;
    this.allowed = allowed;
    this.fd = fd;
    this.address = address;
    this.watch = loop.watch(fd, this::ready);
    Account account = new Account(loop.name() + " datagrams", Long.MAX_VALUE / 2);
    this.incoming = DatagramBatch.allocate(account);
    this.outgoing = DatagramBatch.allocate(account);
  }

  /// Binds a socket and begins to answer. On the loop's thread.
  ///
  /// @return null when the loop's engine knows no descriptors
  static @Nullable RpcDatagrams open(
      Loop loop,
      RpcWorkers workers,
      AtomicLong numbers,
      Predicate<InetAddress> allowed,
      InetSocketAddress wanted)
      throws IOException {
    int family = SocketAddresses.family(wanted);
    int fd = Sockets.socket(family, Sockets.SOCK_DGRAM | Sockets.SOCK_NONBLOCK, 0);
    RpcDatagrams made;
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
      made = new RpcDatagrams(loop, workers, numbers, allowed, fd, bound);
    } catch (SysException | RuntimeException e) {
      Files.close(fd);
      throw e;
    }
    loop.onClose(made::close);
    if (!made.watch.arm(DescriptorWatch.READABLE)) {
      made.close();
      return null;
    }
    return made;
  }

  /// Where it is bound.
  InetSocketAddress address() {
    return address;
  }

  private void ready() {
    for (int i = 0; i < BATCHES; i++) {
      int count = incoming.receive(fd);
      if (count <= 0) {
        if (count == -Errno.EAGAIN || i > 0) {
          break;
        }
        continue; // an error that came back for a datagram of ours: there may be others behind it
      }
      for (int slot = 0; slot < count; slot++) {
        handle(slot);
      }
      flush();
      if (count < DatagramBatch.SLOTS) {
        break;
      }
    }
    watch.arm(DescriptorWatch.READABLE);
  }

  private void handle(int slot) {
    RpcCounts counts = workers.counts();
    counts.datagrams++;
    int bytes = incoming.length(slot);
    RpcConnection from = bytes < 0 ? null : sender(slot);
    if (from == null) {
      counts.datagramsDropped++;
      return;
    }
    View message = incoming.show(slot, bytes, binder);
    call.from(from, knownPort);
    reader.open(message, 0, bytes);
    try {
      switch (workers.dispatcher().now(call, reader, writer)) {
        case RpcDispatcher.ANSWERED -> {
          counts.answered++;
          add(writer, peer);
        }
        case RpcDispatcher.PASSED -> pass(message, bytes);
        default -> counts.datagramsDropped++;
      }
    } finally {
      writer.clear();
      reader.close();
      binder.unbind();
    }
  }

  /// The sender of the datagram; null when no answer may go there.
  private @Nullable RpcConnection sender(int slot) {
    incoming.peer(slot, peer);
    if (knownConnection != null && peer.sameName(known)) {
      return knownConnection;
    }
    InetSocketAddress name = peer.address();
    if (name == null || name.getPort() == 0 || !allowed.test(name.getAddress())) {
      return null;
    }
    InetAddress host = name.getAddress();
    RpcConnection connection = peers.get(host);
    if (connection == null) {
      connection = new RpcConnection(numbers.incrementAndGet(), host, 0, true);
      peers.put(host, connection);
      if (peers.size() > MOST_PEERS) {
        RpcConnection oldest = peers.remove(peers.keySet().iterator().next());
        if (oldest != null) {
          oldest.ended();
        }
      }
    }
    knownConnection = connection;
    knownPort = name.getPort();
    DatagramPeer swap = known;
    known = peer;
    peer = swap;
    incoming.peer(slot, peer);
    return connection;
  }

  private void pass(View message, int bytes) {
    RpcCounts counts = workers.counts();
    boolean many = passed >= workers.limits().calls() / 4;
    MessageBuffer kept = many || workers.full() ? null : workers.pool().take(bytes);
    if (kept == null) {
      counts.datagramsDropped++;
      return;
    }
    kept.append(message, 0, bytes);
    passed++;
    DatagramPeer to = peer;
    peer = new DatagramPeer();
    workers.pass(call, kept, 0, (reply, _) -> answered(reply, to));
  }

  private void answered(XdrWriter reply, DatagramPeer to) {
    passed--;
    if (closed) {
      return;
    }
    add(reply, to);
    flush();
  }

  private void add(XdrWriter reply, DatagramPeer to) {
    if (outgoing.full()) {
      flush();
    }
    outgoing.add(reply, to);
  }

  private void flush() {
    workers.counts().datagramsDropped += outgoing.send(fd);
  }

  private void close() {
    if (!closed) {
      closed = true; // the engine, which has gone, waits for nothing any more
      Files.close(fd);
      incoming.close();
      outgoing.close();
    }
  }
}
