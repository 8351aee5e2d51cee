package sluice.nfs.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.loop.engine.Backend;
import sluice.nfs.RpcLimits;
import sluice.testbase.Await;

/// Tests RPC over UDP and the portmapper on all backends with descriptors.
@Timeout(240)
class RpcDatagramsTest {
  private static final int PROGRAM = RpcTestProgram.NUMBER;

  /// A client that retransmits a datagram until a reply to its xid arrives.
  private static final class Client implements AutoCloseable {
    private final DatagramSocket socket = new DatagramSocket();
    private final InetSocketAddress server;
    private final byte[] buffer = new byte[65_536];

    Client(int port) throws IOException {
      server = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
      socket.setSoTimeout(500);
    }

    void send(byte[] message) throws IOException {
      socket.send(new DatagramPacket(message, message.length, server));
    }

    byte[] receive() throws IOException {
      DatagramPacket reply = new DatagramPacket(buffer, buffer.length);
      socket.receive(reply);
      return Arrays.copyOf(buffer, reply.getLength());
    }

    byte[] call(byte[] message) throws IOException {
      int xid = ByteBuffer.wrap(message).getInt(0);
      for (int attempt = 0; attempt < 100; attempt++) {
        send(message);
        try {
          byte[] reply = receive();
          if (ByteBuffer.wrap(reply).getInt(0) == xid) {
            return reply;
          }
        } catch (SocketTimeoutException lost) {
          // retransmitted
        }
      }
      throw new AssertionError("no reply to " + xid);
    }

    XdrReader results(int xid, int program, int procedure, Consumer<XdrWriter> arguments)
        throws IOException {
      byte[] reply = call(RpcTestClient.message(xid, program, procedure, arguments));
      assertThat(ByteBuffer.wrap(reply).getInt(20)).isZero();
      return RpcTestCalls.reader(reply, RpcTestCalls.RESULTS_AT);
    }

    @Override
    public void close() {
      socket.close();
    }
  }

  private static int port(RpcServerRig rig) {
    assertThat(rig.server.datagramAddresses()).hasSize(1);
    return rig.server.datagramAddresses().getFirst().getPort();
  }

  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL", "POLL"})
  void callsAreAnsweredAtOnceAndByWorkers(Backend backend) throws Exception {
    try (RpcServerRig rig = new RpcServerRig(backend);
        Client client = new Client(port(rig))) {
      assertThat(port(rig)).isEqualTo(rig.port());
      byte[] content = new byte[60_000];
      new Random(1).nextBytes(content);
      for (int i = 0; i < 50; i++) {
        int value = i;
        assertThat(
                client.results(4 * i, PROGRAM, RpcTestProgram.FAST, to -> to.int32(value)).int32())
            .isEqualTo(i);
        assertThat(
                client
                    .results(4 * i + 1, PROGRAM, RpcTestProgram.SLOW, to -> to.int32(value))
                    .int32())
            .isEqualTo(i);
      }
      assertThat(client.results(901, PROGRAM, RpcTestProgram.SUM, to -> to.opaque(content)).int64())
          .isEqualTo(RpcTestProgram.sum(content));
      XdrReader even = client.results(902, PROGRAM, RpcTestProgram.READ, to -> to.int32(60_000));
      assertThat(even.opaque(60_000)).hasSize(60_000);
      XdrReader odd = client.results(903, PROGRAM, RpcTestProgram.READ, to -> to.int32(59_999));
      assertThat(odd.opaque(60_000)[59_998]).isEqualTo(RpcTestProgram.content(59_998));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL", "POLL"})
  void aReplyThatNoDatagramHoldsIsASystemError(Backend backend) throws Exception {
    try (RpcServerRig rig = new RpcServerRig(backend);
        Client client = new Client(port(rig))) {
      for (int bytes : new int[] {70_000, 70_001}) {
        byte[] reply =
            client.call(
                RpcTestClient.message(bytes, PROGRAM, RpcTestProgram.READ, to -> to.int32(bytes)));
        assertThat(ByteBuffer.wrap(reply).getInt(20)).isEqualTo(RpcRefusal.SYSTEM_ERROR);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL", "POLL"})
  void manyAtOnceFromSeveralPorts(Backend backend) throws Exception {
    try (RpcServerRig rig = new RpcServerRig(backend);
        Client first = new Client(port(rig));
        Client second = new Client(port(rig))) {
      for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 40; i++) {
          int xid = i;
          int procedure = 1 + (i & 1);
          first.send(RpcTestClient.message(xid, PROGRAM, procedure, to -> to.int32(xid)));
          second.send(RpcTestClient.message(~xid, PROGRAM, procedure, to -> to.int32(~xid)));
        }
        Set<Integer> seen = new HashSet<>();
        for (int i = 0; i < 40; i++) {
          receive(rig, first, seen);
          receive(rig, second, seen);
        }
        assertThat(seen).isNotEmpty();
      }
    }
  }

  /// Waits for a reply unless a datagram was dropped, because a machine may be slow.
  private static void receive(RpcServerRig rig, Client client, Set<Integer> seen)
      throws IOException {
    for (int attempt = 0; attempt < 120; attempt++) {
      try {
        seen.add(ByteBuffer.wrap(client.receive()).getInt(0));
        return;
      } catch (SocketTimeoutException late) {
        if (!seen.isEmpty() && rig.count(c -> c.datagramsDropped) > 0) {
          return;
        }
      }
    }
    throw new AssertionError("lost, and not counted");
  }

  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL", "POLL"})
  void nonsenseIsDropped(Backend backend) throws Exception {
    try (RpcServerRig rig = new RpcServerRig(backend);
        Client client = new Client(port(rig))) {
      Random random = new Random(2);
      for (int i = 0; i < 500; i++) {
        byte[] nonsense = new byte[random.nextInt(i % 50 == 0 ? 65_000 : 100)];
        random.nextBytes(nonsense);
        client.send(nonsense);
      }
      assertThat(client.results(77, PROGRAM, RpcTestProgram.FAST, to -> to.int32(1)).int32())
          .isEqualTo(1);
      assertThat(rig.count(c -> c.datagramsDropped)).isPositive();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL", "POLL"})
  void datagramsBeyondTheLimitAreDroppedAndTheServerLives(Backend backend) throws Exception {
    try (RpcServerRig rig = new RpcServerRig(backend, RpcLimits.DEFAULT.withCalls(4, 8));
        Client client = new Client(port(rig))) {
      for (int i = 0; i < 20; i++) {
        client.send(RpcTestClient.message(i, PROGRAM, RpcTestProgram.GATED, to -> to.int32(5)));
      }
      Await.until("drops", () -> rig.count(c -> c.datagramsDropped) >= 18);
      assertThat(rig.program.mostRunning.get()).isLessThanOrEqualTo(2);
      assertThat(client.results(77, PROGRAM, RpcTestProgram.FAST, to -> to.int32(1)).int32())
          .isEqualTo(1);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL", "POLL"})
  void thePortmapperKnowsThePrograms(Backend backend) throws Exception {
    try (RpcServerRig rig = new RpcServerRig(backend);
        Client client = new Client(port(rig))) {
      rig.portmapper.register(rig.program, Portmapper.TCP, 1234);
      byte[] message =
          RpcTestClient.message(
              5,
              Portmapper.NUMBER,
              Portmapper.GETPORT,
              to -> to.int32(PROGRAM).int32(1).int32(Portmapper.TCP).int32(0));
      ByteBuffer.wrap(message).putInt(16, Portmapper.VERSION);
      assertThat(ByteBuffer.wrap(client.call(message)).getInt(24)).isEqualTo(1234);
      try (RpcTestClient stream = rig.connect()) {
        stream.send(RpcTestClient.record(message));
        assertThat(stream.results().int32()).isEqualTo(1234);
      }
    }
  }
}
