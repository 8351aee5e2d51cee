package sluice.nfs.rpc;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import sluice.loop.Loop;
import sluice.loop.datagrams.DatagramOutput;
import sluice.loop.datagrams.DatagramPeer;
import sluice.loop.datagrams.DatagramPorts;
import sluice.loop.datagrams.Datagrams;
import sluice.memory.View;

/// Serves ONC RPC over UDP on one port. Each call and each reply is a single datagram. Instances
/// are owned by one loop's thread.
///
/// A call is dropped if there is no free worker or not enough memory, because the client will
/// retransmit it.
final class RpcDatagrams {
  private static final int MOST_PEERS = 4_096;

  private final RpcWorkers workers;
  private final AtomicLong numbers;
  private final Predicate<InetAddress> allowed;
  private final RpcCall call = new RpcCall();
  private final XdrReader reader = new XdrReader();
  private final XdrWriter writer = new XdrWriter(Datagrams.MOST_BYTES);
  private final Map<InetAddress, RpcConnection> peers = new LinkedHashMap<>(16, 0.75f, true);
  private @Nullable DatagramPeer known;
  private @Nullable RpcConnection knownConnection;
  private int knownPort;
  private int passed;
  private long droppedByPort;

  private RpcDatagrams(RpcWorkers workers, AtomicLong numbers, Predicate<InetAddress> allowed) {
    this.workers = workers;
    this.numbers = numbers;
    this.allowed = allowed;
  }

  /// Binds a port and starts answering calls. This method is called on the loop's thread.
  ///
  /// @param ports the factory that opens the port
  /// @return the bound address, or null if the loop's engine does not support datagrams
  static @Nullable InetSocketAddress open(
      DatagramPorts ports,
      Loop loop,
      RpcWorkers workers,
      AtomicLong numbers,
      Predicate<InetAddress> allowed,
      InetSocketAddress wanted)
      throws IOException {
    RpcDatagrams made = new RpcDatagrams(workers, numbers, allowed);
    try {
      return ports.open(loop, wanted, made::received).address();
    } catch (UnsupportedOperationException none) {
      return null;
    }
  }

  private void received(Datagrams port, View message, DatagramPeer peer) {
    RpcCounters counts = workers.counts();
    counts.datagrams++;
    countDropped(port);
    RpcConnection from = sender(peer);
    if (from == null) {
      counts.datagramsDropped++;
      return;
    }
    int bytes = message.length();
    call.from(from, knownPort);
    reader.open(message, 0, bytes);
    try {
      switch (workers.dispatcher().tryCall(call, reader, writer)) {
        case RpcDispatcher.ANSWERED -> {
          counts.answered++;
          send(port, writer, peer);
        }
        case RpcDispatcher.PASSED -> pass(port, message, bytes, peer);
        default -> counts.datagramsDropped++;
      }
    } finally {
      writer.clear();
      reader.close();
    }
  }

  private void countDropped(Datagrams port) {
    workers.counts().datagramsDropped += port.dropped() - droppedByPort;
    droppedByPort = port.dropped();
  }

  /// Returns the sender of a datagram, or null if no reply may be sent to the sender.
  private @Nullable RpcConnection sender(DatagramPeer peer) {
    if (knownConnection != null && known != null && peer.sameSender(known)) {
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
    known = peer.keep();
    return connection;
  }

  private void pass(Datagrams port, View message, int bytes, DatagramPeer peer) {
    RpcCounters counts = workers.counts();
    boolean many = passed >= workers.limits().calls() / 4;
    MessageBuffer kept = many || workers.full() ? null : workers.pool().take(bytes);
    if (kept == null) {
      counts.datagramsDropped++;
      return;
    }
    kept.append(message, 0, bytes);
    passed++;
    DatagramPeer to = peer.keep();
    workers.pass(call, kept, 0, (reply, _) -> answered(port, reply, to));
  }

  private void answered(Datagrams port, XdrWriter reply, DatagramPeer to) {
    passed--;
    if (port.isOpen()) {
      send(port, reply, to);
    }
  }

  private static void send(Datagrams port, XdrWriter reply, DatagramPeer to) {
    DatagramOutput output = port.to(to);
    reply.copyTo(output);
    output.send();
  }
}
