package sluice.nfs.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.loop.engine.Backend;
import sluice.nfs.RpcLimits;
import sluice.testbase.Await;

/// Tests RPC over TCP on each backend: records split at any place, replies in any order, and limits
/// that delay calls and refuse none.
@Timeout(240)
class RpcServerTest {
  private static final int PROGRAM = RpcTestProgram.NUMBER;

  private static byte[] number(int xid, int procedure, int value) {
    return RpcTestClient.record(
        RpcTestClient.message(xid, PROGRAM, procedure, to -> to.int32(value)));
  }

  private static byte[] opaque(int xid, int procedure, byte[] value) {
    return RpcTestClient.message(xid, PROGRAM, procedure, to -> to.opaque(value));
  }

  private static int xid(byte[] reply) {
    return ByteBuffer.wrap(reply).getInt(0);
  }

  private static XdrReader results(byte[] reply) {
    assertThat(ByteBuffer.wrap(reply).getInt(20)).as("accept_stat").isZero();
    return RpcTestCalls.reader(reply, RpcTestCalls.RESULTS_AT);
  }

  private static byte[] random(int bytes, long seed) {
    byte[] made = new byte[bytes];
    new Random(seed).nextBytes(made);
    return made;
  }

  private static <T> FutureTask<T> started(Callable<T> task) {
    FutureTask<T> future = new FutureTask<>(task);
    Thread.ofPlatform().daemon().start(future);
    return future;
  }

  @ParameterizedTest
  @EnumSource(Backend.class)
  void aFastReplyOvertakesASlowOne(Backend backend) throws Exception {
    try (RpcServerRig rig = new RpcServerRig(backend);
        RpcTestClient client = rig.connect()) {
      client.send(number(1, RpcTestProgram.GATED, 11));
      client.send(number(2, RpcTestProgram.GATED, 12));
      client.send(number(3, RpcTestProgram.FAST, 13));
      byte[] first = client.receive();
      assertThat(xid(first)).isEqualTo(3);
      assertThat(results(first).int32()).isEqualTo(13);
      client.send(number(4, RpcTestProgram.SLOW, 14));
      assertThat(xid(client.receive())).isEqualTo(4);
      rig.program.gate.release(2);
      Set<Integer> rest = new HashSet<>();
      for (int i = 0; i < 2; i++) {
        byte[] reply = client.receive();
        assertThat(results(reply).int32()).isEqualTo(xid(reply) + 10);
        rest.add(xid(reply));
      }
      assertThat(rest).containsExactlyInAnyOrder(1, 2);
    }
  }

  @ParameterizedTest
  @EnumSource(Backend.class)
  void oneWorkerDoesGroupedCallsButNoneDelaysAnother(Backend backend) throws Exception {
    try (RpcServerRig rig = new RpcServerRig(backend);
        RpcTestClient client = rig.connect()) {
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      all.writeBytes(number(0, RpcTestProgram.GROUPED_GATED, 10));
      for (int xid = 1; xid <= 30; xid++) {
        all.writeBytes(number(xid, RpcTestProgram.GROUPED, xid + 10));
      }
      client.send(all.toByteArray());
      Set<Integer> answered = new HashSet<>();
      for (int i = 0; i < 30; i++) {
        byte[] reply = client.receive();
        assertThat(results(reply).int32()).isEqualTo(xid(reply) + 10);
        answered.add(xid(reply));
      }
      assertThat(answered).hasSize(30).doesNotContain(0);
      rig.program.gate.release();
      assertThat(xid(client.receive())).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource(Backend.class)
  void littleCallsEndWithTheServer(Backend backend) throws Exception {
    try (RpcServerRig rig = new RpcServerRig(backend);
        RpcTestClient client = rig.connect()) {
      for (int xid = 0; xid < 200; xid++) {
        int procedure = xid % 50 == 7 ? RpcTestProgram.GROUPED_GATED : RpcTestProgram.GROUPED;
        client.send(number(xid, procedure, xid));
      }
      client.receive();
    } // the rig compares the passed calls with the completed ones
  }

  @ParameterizedTest
  @EnumSource(Backend.class)
  void everyCallIsAnsweredOnceHoweverItIsCut(Backend backend) throws Exception {
    long seed = Long.getLong("sluice.seed", 1);
    Random random = new Random(seed);
    try (RpcServerRig rig = new RpcServerRig(backend);
        RpcTestClient client = rig.connect()) {
      int calls = 2_000;
      List<byte[]> sent = new ArrayList<>();
      for (int i = 0; i < calls; i++) {
        int procedure = random.nextInt(3) == 0 ? RpcTestProgram.SLOW : RpcTestProgram.FAST;
        int xid = i;
        byte[] message = RpcTestClient.message(xid, PROGRAM, procedure, to -> to.int32(~xid));
        sent.add(
            random.nextInt(4) == 0
                ? RpcTestClient.fragments(message, 1 + random.nextInt(100))
                : RpcTestClient.record(message));
      }
      FutureTask<Integer> writing =
          started(() -> {
            Random cuts = new Random(seed);
            ByteBuffer all = ByteBuffer.allocate(sent.stream().mapToInt(m -> m.length).sum());
            sent.forEach(all::put);
            byte[] bytes = all.array();
            for (int at = 0; at < bytes.length; ) {
              int n = Math.min(bytes.length - at, 1 + cuts.nextInt(5_000));
              client.send(Arrays.copyOfRange(bytes, at, at + n));
              at += n;
            }
            return 0;
          });
      Set<Integer> answered = new HashSet<>();
      for (int i = 0; i < calls; i++) {
        byte[] reply = client.receive();
        assertThat(results(reply).int32()).as("seed %d", seed).isEqualTo(~xid(reply));
        assertThat(answered.add(xid(reply))).as("seed %d", seed).isTrue();
      }
      assertThat(writing.get(60, TimeUnit.SECONDS)).isZero();
      assertThat(rig.count(c -> c.assembled)).isPositive();
    }
  }

  @ParameterizedTest
  @EnumSource(Backend.class)
  void contentOfAMegabyteIsWholeInBothDirections(Backend backend) throws Exception {
    byte[] content = random(RpcTestProgram.READ_BYTES, 3);
    try (RpcServerRig rig = new RpcServerRig(backend);
        RpcTestClient client = rig.connect()) {
      FutureTask<Integer> writing =
          started(() -> {
            client.send(RpcTestClient.record(opaque(1, RpcTestProgram.SUM, content)));
            client.send(RpcTestClient.record(opaque(2, RpcTestProgram.ECHO, content)));
            byte[] again = opaque(3, RpcTestProgram.SUM, content);
            client.send(RpcTestClient.fragments(again, 70_000));
            client.send(RpcTestClient.fragments(opaque(4, RpcTestProgram.SUM, content), 9_999));
            client.send(number(5, RpcTestProgram.READ, RpcTestProgram.READ_BYTES));
            client.send(number(6, RpcTestProgram.READ, RpcTestProgram.READ_BYTES - 1));
            client.send(number(7, RpcTestProgram.READ, 5_001));
            return 0;
          });
      for (int i = 1; i <= 7; i++) {
        byte[] reply = client.receive();
        XdrReader results = results(reply);
        switch (xid(reply)) {
          case 1, 3, 4 -> assertThat(results.int64()).isEqualTo(RpcTestProgram.sum(content));
          case 2 -> assertThat(results.opaque(RpcTestProgram.READ_BYTES)).isEqualTo(content);
          default -> {
            byte[] read = results.opaque(RpcTestProgram.READ_BYTES);
            for (int at = 0; at < read.length; at++) {
              if (read[at] != RpcTestProgram.content(at)) {
                assertThat(at).as("byte that differs").isEqualTo(-1);
              }
            }
          }
        }
      }
      assertThat(writing.get(60, TimeUnit.SECONDS)).isZero();
    }
  }

  /// Long calls are received directly into their buffers if the engine supports that, with short
  /// calls and fragments between them.
  @ParameterizedTest
  @EnumSource(Backend.class)
  void longCallsComeWholeWithShortOnesBetween(Backend backend) throws Exception {
    long seed = Long.getLong("sluice.seed", 1);
    Random random = new Random(seed);
    int calls = 40;
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    long[] sums = new long[calls];
    for (int xid = 0; xid < calls; xid++) {
      byte[] content = random(300_000 + random.nextInt(300_000), seed + xid);
      sums[xid] = RpcTestProgram.sum(content);
      byte[] message = opaque(xid, RpcTestProgram.SUM, content);
      boolean whole = random.nextInt(4) > 0;
      all.writeBytes(
          whole ? RpcTestClient.record(message) : RpcTestClient.fragments(message, 290_000));
      for (int i = random.nextInt(4) == 0 ? 100 : random.nextInt(3); i > 0; i--) {
        all.writeBytes(number(calls, RpcTestProgram.FAST, i));
      }
    }
    try (RpcServerRig rig = new RpcServerRig(backend);
        RpcTestClient client = rig.connect()) {
      FutureTask<Integer> writing =
          started(() -> {
            byte[] bytes = all.toByteArray();
            Random cuts = new Random(seed);
            for (int at = 0; at < bytes.length; ) {
              int n = Math.min(bytes.length - at, 1 + cuts.nextInt(1_500_000));
              client.send(Arrays.copyOfRange(bytes, at, at + n));
              at += n;
            }
            return 0;
          });
      for (Set<Integer> answered = new HashSet<>(); answered.size() < calls; ) {
        byte[] reply = client.receive();
        if (xid(reply) < calls) {
          assertThat(answered.add(xid(reply))).as("seed %d", seed).isTrue();
          assertThat(results(reply).int64()).as("seed %d", seed).isEqualTo(sums[xid(reply)]);
        }
      }
      assertThat(writing.get(60, TimeUnit.SECONDS)).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource(Backend.class)
  void callsBeyondTheLimitWaitAndOthersAreServed(Backend backend) throws Exception {
    RpcLimits limits = RpcLimits.DEFAULT.withCalls(4, 6);
    try (RpcServerRig rig = new RpcServerRig(backend, limits);
        RpcTestClient first = rig.connect();
        RpcTestClient second = rig.connect();
        RpcTestClient third = rig.connect()) {
      int calls = 500;
      for (int i = 0; i < calls; i++) {
        first.send(number(i, RpcTestProgram.GATED, i));
        second.send(number(i, RpcTestProgram.GATED, i));
      }
      Await.until("workers", () -> rig.program.running.get() == 6);
      third.send(number(1, RpcTestProgram.FAST, 9));
      assertThat(third.results().int32()).isEqualTo(9);
      rig.program.gate.release(2 * calls);
      for (RpcTestClient client : List.of(first, second)) {
        Set<Integer> answered = new HashSet<>();
        for (int i = 0; i < calls; i++) {
          answered.add(xid(client.receive()));
        }
        assertThat(answered).hasSize(calls);
      }
      assertThat(rig.program.mostRunning.get()).isEqualTo(6);
      assertThat(rig.count(c -> c.heldForCalls)).isPositive();
    }
  }

  @ParameterizedTest
  @EnumSource(Backend.class)
  void memoryForMessagesIsBoundedAndEveryMessageComesThrough(Backend backend) throws Exception {
    RpcLimits limits = RpcLimits.DEFAULT.withMessageMemoryBytes(3 << 20);
    byte[] content = random(900_000, 4);
    long sum = RpcTestProgram.sum(content);
    try (RpcServerRig rig = new RpcServerRig(backend, limits);
        RpcTestClient holding = rig.connect()) {
      // Two waiting calls leave too little memory for a third one, so that the others certainly
      // reach the limit.
      for (int call = 0; call < 2; call++) {
        holding.send(RpcTestClient.record(opaque(call, RpcTestProgram.GATED, content)));
      }
      Await.until("workers", () -> rig.program.running.get() == 2);
      List<FutureTask<Integer>> clients = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        clients.add(
            started(() -> {
              try (RpcTestClient client = rig.connect()) {
                for (int call = 0; call < 6; call++) {
                  client.send(RpcTestClient.record(opaque(call, RpcTestProgram.SUM, content)));
                }
                for (int call = 0; call < 6; call++) {
                  assertThat(client.results().int64()).isEqualTo(sum);
                  assertThat(rig.server.messageBytes()).isLessThanOrEqualTo(3 << 20);
                }
                return 0;
              }
            }));
      }
      Await.until("the bound", () -> rig.count(c -> c.heldForMemory) > 0);
      rig.program.gate.release(2);
      for (FutureTask<Integer> each : clients) {
        assertThat(each.get(120, TimeUnit.SECONDS)).isZero();
      }
    }
  }

  /// Several clients wait for memory for longer than a slow client may take for a message. The
  /// delay is the server's, and no client is cut off for another.
  @Test
  void aConnectionThatWaitsForMemoryLosesNothing() throws Exception {
    RpcLimits limits = RpcLimits.DEFAULT.withMessageMemoryBytes(3 << 20);
    byte[] record = RpcTestClient.record(opaque(1, RpcTestProgram.GATED, random(900_000, 5)));
    List<RpcTestClient> clients = new ArrayList<>();
    try (RpcServerRig rig = new RpcServerRig(Backend.AUTO, limits)) {
      for (int i = 0; i < 4; i++) {
        clients.add(rig.connect());
      }
      clients.getFirst().send(record);
      Await.until("a worker", () -> rig.program.running.get() == 1);
      int begun = 60_000;
      long before = rig.server.messageBytes();
      for (RpcTestClient client : clients.subList(1, 4)) {
        client.send(Arrays.copyOf(record, begun));
      }
      // Two at least; the pool may have kept the memory of one.
      Await.until("parts", () -> rig.server.messageBytes() >= before + 2 * (64 << 10));
      List<FutureTask<Integer>> writing = new ArrayList<>();
      for (RpcTestClient client : clients.subList(1, 4)) {
        writing.add(
            started(() -> {
              client.send(Arrays.copyOfRange(record, begun, record.length));
              return 0;
            }));
      }
      Await.until("one more worker", () -> rig.program.running.get() == 2);
      Await.until("the others", () -> rig.count(c -> c.heldForMemory) > 20); // for seconds
      rig.program.gate.release(4);
      for (RpcTestClient client : clients) {
        assertThat(xid(client.receive())).isEqualTo(1);
      }
      for (FutureTask<Integer> each : writing) {
        assertThat(each.get(60, TimeUnit.SECONDS)).isZero();
      }
      assertThat(rig.count(c -> c.unfinished)).isZero();
    } finally {
      for (RpcTestClient client : clients) {
        client.close();
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Backend.class)
  void aClientThatSendsNonsenseIsCutOffAlone(Backend backend) throws Exception {
    try (RpcServerRig rig = new RpcServerRig(backend);
        RpcTestClient good = rig.connect()) {
      byte[] reply = ByteBuffer.allocate(16).putInt(0x8000_000c).putInt(1).putInt(1).array();
      List<byte[]> nonsense =
          List.of(
              "GET / HTTP/1.1\r\n\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII),
              new byte[] {-1, -1, -1, -1, 0, 0, 0, 0},
              new byte[] {127, -1, -1, -1, 0, 0, 0, 0},
              new byte[] {-128, 0, 0, 0},
              new byte[] {-128, 0, 0, 4, 0, 0, 0, 0},
              reply);
      for (byte[] bytes : nonsense) {
        try (RpcTestClient bad = rig.connect()) {
          bad.send(number(1, RpcTestProgram.FAST, 5));
          assertThat(bad.results().int32()).isEqualTo(5);
          bad.send(bytes);
          assertThat(bad.ended()).isTrue();
        }
      }
      good.send(number(1, RpcTestProgram.FAST, 6));
      assertThat(good.results().int32()).isEqualTo(6);
      assertThat(rig.count(c -> c.malformed)).isEqualTo(nonsense.size());
    }
  }

  @ParameterizedTest
  @EnumSource(Backend.class)
  void fragmentsWithoutEndAreBounded(Backend backend) throws Exception {
    try (RpcServerRig rig = new RpcServerRig(backend);
        RpcTestClient client = rig.connect()) {
      byte[] fragment = new byte[100_004];
      ByteBuffer.wrap(fragment).putInt(100_000);
      FutureTask<Boolean> writing =
          started(() -> {
            try {
              for (int i = 0; i < 10_000; i++) {
                client.send(fragment);
              }
              return false;
            } catch (java.net.SocketException reset) {
              return true;
            }
          });
      assertThat(client.ended()).isTrue();
      assertThat(writing.get(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(Backend.class)
  void unfinishedMessagesEnd(Backend backend) throws Exception {
    RpcLimits limits = RpcLimits.DEFAULT.withTimes(RpcLimits.DEFAULT.idleNanos(), 300_000_000L);
    byte[] part = Arrays.copyOf(number(1, RpcTestProgram.FAST, 5), 30);
    try (RpcServerRig rig = new RpcServerRig(backend, limits);
        RpcTestClient half = rig.connect()) {
      half.send(part);
      assertThat(half.ended()).isTrue();
      assertThat(rig.count(c -> c.unfinished)).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @EnumSource(Backend.class)
  void idleConnectionsEnd(Backend backend) throws Exception {
    RpcLimits limits = RpcLimits.DEFAULT.withTimes(1_500_000_000L, 60_000_000_000L);
    try (RpcServerRig rig = new RpcServerRig(backend, limits);
        RpcTestClient busy = waiting(rig);
        RpcTestClient idle = rig.connect()) {
      assertThat(idle.ended()).isTrue();
      rig.program.gate.release();
      assertThat(busy.results().int32()).isEqualTo(8);
      assertThat(rig.count(c -> c.unfinished)).isZero();
    }
  }

  /// Returns a client that waits for a gated call. On a slow machine the connection may exceed its
  /// idle time before that, so this method tries again.
  private static RpcTestClient waiting(RpcServerRig rig) throws IOException {
    ByteArrayOutputStream calls = new ByteArrayOutputStream();
    calls.writeBytes(number(1, RpcTestProgram.GATED, 8));
    // The reply to this call confirms that both have arrived.
    calls.writeBytes(number(2, RpcTestProgram.FAST, 9));
    for (int attempt = 0; attempt < 20; attempt++) {
      RpcTestClient client = rig.connect();
      try {
        client.send(calls.toByteArray());
        assertThat(client.results().int32()).isEqualTo(9);
        return client;
      } catch (IOException late) {
        client.close();
      }
    }
    throw new AssertionError("too slow again and again");
  }

  @ParameterizedTest
  @EnumSource(Backend.class)
  void aClientThatDoesNotReadDelaysNoOther(Backend backend) throws Exception {
    RpcLimits limits = RpcLimits.DEFAULT.withLeasedBytes(1 << 30);
    try (RpcServerRig rig = new RpcServerRig(backend, limits);
        RpcTestClient good = rig.connect()) {
      List<RpcTestClient> bad = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        RpcTestClient client = rig.connect();
        bad.add(client);
        for (int call = 0; call < 40; call++) {
          client.send(number(call, RpcTestProgram.READ, RpcTestProgram.READ_BYTES - (call & 1)));
        }
      }
      for (int i = 0; i < 50; i++) {
        good.send(number(i, RpcTestProgram.FAST, i));
        assertThat(good.results().int32()).isEqualTo(i);
        good.send(number(i, RpcTestProgram.READ, 100_001));
        assertThat(good.results().opaque(100_001)).hasSize(100_001);
      }
      for (RpcTestClient client : bad) {
        client.close();
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Backend.class)
  void repliesComeAfterThePeersFin(Backend backend) throws Exception {
    try (RpcServerRig rig = new RpcServerRig(backend);
        RpcTestClient client = rig.connect()) {
      for (int i = 0; i < 3; i++) {
        client.send(number(i, RpcTestProgram.GATED, i));
      }
      client.socket.shutdownOutput();
      Await.until("calls", () -> rig.program.running.get() == 3);
      rig.program.gate.release(3);
      List<Integer> answered = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        answered.add(client.results().int32());
      }
      Collections.sort(answered);
      assertThat(answered).containsExactly(0, 1, 2);
      assertThat(client.ended()).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(Backend.class)
  void drainingAnswersWhatIsUnderWay(Backend backend) throws Exception {
    try (RpcServerRig rig = new RpcServerRig(backend);
        RpcTestClient client = rig.connect();
        RpcTestClient idle = rig.connect()) {
      idle.send(number(1, RpcTestProgram.FAST, 1));
      assertThat(idle.results().int32()).isEqualTo(1);
      client.send(number(1, RpcTestProgram.GATED, 7));
      Await.until("the call", () -> rig.program.running.get() == 1);
      FutureTask<Boolean> draining = started(() -> rig.server.drain(Duration.ofSeconds(60)));
      assertThat(idle.ended()).isTrue();
      rig.program.gate.release();
      assertThat(client.results().int32()).isEqualTo(7);
      assertThat(client.ended()).isTrue();
      assertThat(draining.get(90, TimeUnit.SECONDS)).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(Backend.class)
  void aClientThatIsNotAllowedIsNotServed(Backend backend) throws Exception {
    try (RpcServerRig rig = new RpcServerRig(backend)) {
      assertThat(rig.count(c -> c.refusedConnections)).isZero();
      RpcServer.Options nobody =
          new RpcServer.Options(List.of(rig.program), RpcLimits.DEFAULT, host -> false, true);
      try (RpcServer closed =
              RpcServer.start(
                  sluice.loop.server.ServerConfig.onLoopback("closed", 0).withBackend(backend),
                  nobody);
          RpcTestClient client = new RpcTestClient(closed.server().port())) {
        assertThat(client.ended()).isTrue();
      }
    }
  }
}
