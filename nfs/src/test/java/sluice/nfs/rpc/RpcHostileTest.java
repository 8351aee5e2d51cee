package sluice.nfs.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.loop.engine.Backend;
import sluice.nfs.RpcLimits;
import sluice.testbase.Await;

/// Tests hostile clients: marks, lengths, credentials and floods. Other clients are served, the
/// memory stays within its limit, and all of it is released.
@Timeout(240)
class RpcHostileTest {
  private static final int PROGRAM = RpcTestProgram.NUMBER;

  private static byte[] call(int xid, int procedure, byte[] content) {
    return RpcTestClient.message(xid, PROGRAM, procedure, to -> to.opaque(content));
  }

  /// Returns some calls as records in fragments, with bytes changed, removed, inserted and
  /// repeated.
  private static byte[] hostile(Random random) {
    List<byte[]> parts = new ArrayList<>();
    int calls = 1 + random.nextInt(5);
    for (int i = 0; i < calls; i++) {
      byte[] content = new byte[random.nextInt(random.nextInt(8) == 0 ? 40_000 : 200)];
      byte[] message = call(i, 1 + random.nextInt(7), content);
      parts.add(
          random.nextInt(3) == 0
              ? RpcTestClient.fragments(message, 1 + random.nextInt(message.length))
              : RpcTestClient.record(message));
    }
    ByteBuffer all = ByteBuffer.allocate(parts.stream().mapToInt(part -> part.length).sum());
    parts.forEach(all::put);
    byte[] bytes = all.array();
    int changes = random.nextInt(6);
    for (int i = 0; i < changes; i++) {
      int at = random.nextInt(4) == 0 ? random.nextInt(Math.min(120, bytes.length)) : 0;
      at = at == 0 ? random.nextInt(bytes.length) : at;
      switch (random.nextInt(4)) {
        case 0 -> bytes[at] = (byte) random.nextInt();
        case 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
        case 2 -> bytes = Arrays.copyOf(bytes, Math.max(1, at));
        default -> Arrays.fill(bytes, at, Math.min(bytes.length, at + 4), (byte) -1);
      }
    }
    return bytes;
  }

  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL", "POLL", "JDK"})
  void changedStreamsHarmNoOtherClient(Backend backend) throws Exception {
    long seed = Long.getLong("sluice.seed", 1);
    Random random = new Random(seed);
    RpcLimits limits = RpcLimits.DEFAULT.withMessageMemoryBytes(4 << 20);
    try (RpcServerRig rig = new RpcServerRig(backend, limits);
        RpcTestClient good = rig.connect()) {
      rig.program.gate.release(1_000_000);
      for (int round = 0; round < 300; round++) {
        try (RpcTestClient bad = rig.connect()) {
          bad.send(hostile(random));
          if (random.nextBoolean()) {
            bad.socket.shutdownOutput();
            assertThat(bad.ended()).as("seed %d, round %d", seed, round).isTrue();
          }
        } catch (IOException reset) {
          // cut off while sending
        }
        int number = round;
        good.call(round, PROGRAM, 1 + (round & 1), to -> to.int32(number));
        assertThat(good.results().int32()).as("seed %d, round %d", seed, round).isEqualTo(round);
        assertThat(rig.server.messageBytes()).isLessThanOrEqualTo(4 << 20);
      }
    }
  }

  /// Many clients announce a megabyte and send little of it; their memory goes to a client that
  /// sends all.
  @Test
  void announcedMessagesDoNotHoldMemoryForEver() throws Exception {
    RpcLimits limits = RpcLimits.DEFAULT.withMessageMemoryBytes(3 << 20);
    byte[] content = new byte[1_000_000];
    new Random(6).nextBytes(content);
    byte[] record = RpcTestClient.record(call(1, RpcTestProgram.SUM, content));
    List<RpcTestClient> idle = new ArrayList<>();
    try (RpcServerRig rig = new RpcServerRig(Backend.AUTO, limits)) {
      for (int i = 0; i < 300; i++) {
        RpcTestClient client = rig.connect();
        idle.add(client);
        client.send(Arrays.copyOf(record, 100));
      }
      Await.until("they", () -> rig.count(c -> c.connections) == 300);
      assertThat(rig.count(c -> c.heldForMemory)).isZero();
      for (int i = 0; i < 12; i++) {
        RpcTestClient client = rig.connect();
        idle.add(client);
        client.send(Arrays.copyOf(record, 70_000));
      }
      Await.until("memory to be held", () -> rig.count(c -> c.heldForMemory) > 5);
      try (RpcTestClient good = rig.connect()) {
        good.send(record);
        assertThat(good.results().int64()).isEqualTo(RpcTestProgram.sum(content));
      }
      assertThat(rig.count(c -> c.unfinished)).isPositive();
      for (RpcTestClient client : idle) {
        client.close();
      }
    }
  }

  /// Empty fragments cannot keep a loop busy and a connection open for ever.
  @Test
  void emptyFragmentsAreWorthNothing() throws Exception {
    RpcLimits limits = RpcLimits.DEFAULT.withTimes(30_000_000_000L, 6_000_000_000L);
    try (RpcServerRig rig = new RpcServerRig(Backend.AUTO, limits);
        RpcTestClient bad = rig.connect()) {
      byte[] empty = new byte[40_000]; // ten thousand marks of length 0
      byte[] last = RpcTestClient.record(call(9, RpcTestProgram.ECHO, new byte[] {5}));
      bad.send(ByteBuffer.allocate(empty.length + last.length).put(empty).put(last).array());
      assertThat(bad.results().opaque(9)).containsExactly(5);
      bad.send(empty);
      assertThat(bad.ended()).isTrue();
      assertThat(rig.count(c -> c.unfinished)).isEqualTo(1);
    }
  }

  /// Connections are opened and closed faster than the server handles them.
  @Test
  void connectionsThatComeAndGoLeaveNothing() throws Exception {
    byte[] record = RpcTestClient.record(call(1, RpcTestProgram.SUM, new byte[70_000]));
    try (RpcServerRig rig = new RpcServerRig(Backend.AUTO)) {
      for (int i = 0; i < 300; i++) {
        try (RpcTestClient client = rig.connect()) {
          client.send(i % 3 == 0 ? record : Arrays.copyOf(record, 1 + i * 200));
        } catch (IOException reset) {
          // cut off while sending
        }
      }
      try (RpcTestClient good = rig.connect()) {
        good.call(1, PROGRAM, RpcTestProgram.FAST, to -> to.int32(4));
        assertThat(good.results().int32()).isEqualTo(4);
      }
    }
  }
}
