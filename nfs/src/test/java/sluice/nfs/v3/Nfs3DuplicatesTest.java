package sluice.nfs.v3;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.fs.Caller;
import sluice.memory.Account;
import sluice.memory.Memory;
import sluice.memory.block.Block;
import sluice.nfs.CrashDevice;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.export.PersistentReplies;
import sluice.nfs.rpc.Wire;
import sluice.nfs.rpc.XdrWriter;

/// Tests that a retransmitted call gets its first reply: while the server runs, after it was
/// killed, and after a crash of the machine, which leaves the change with its reply or neither.
@Timeout(300)
final class Nfs3DuplicatesTest {
  /// A non-idempotent call.
  private record Call(Nfs3Procedure procedure, Consumer<XdrWriter> arguments) {}

  private static Call mkdir(byte[] directory, String name) {
    return new Call(
        Nfs3Procedure.MKDIR,
        w -> {
          Nfs3Client.where(w, directory, name);
          Nfs3Client.sattr(w, 0755);
        });
  }

  private static Call remove(byte[] directory, String name) {
    return new Call(Nfs3Procedure.REMOVE, w -> Nfs3Client.where(w, directory, name));
  }

  private static Call rename(byte[] directory, String name, String newName) {
    return new Call(
        Nfs3Procedure.RENAME,
        w -> {
          Nfs3Client.where(w, directory, name);
          Nfs3Client.where(w, directory, newName);
        });
  }

  private static byte[] send(Nfs3Client client, int xid, Call call) {
    client.calls.xid(xid);
    return client.reply(call.procedure, call.arguments).bytes();
  }

  private static int status(byte[] reply) {
    return new Wire(reply, 24).u32();
  }

  /// Returns one call of each procedure that changes names, in an order in which each has an
  /// effect.
  private static Map<Integer, Call> script(byte[] top, byte[] file) {
    Map<Integer, Call> calls = new LinkedHashMap<>();
    calls.put(1, mkdir(top, "d"));
    calls.put(2, rename(top, "d", "e"));
    calls.put(3, remove(top, "f"));
    calls.put(4, new Call(Nfs3Procedure.RMDIR, w -> Nfs3Client.where(w, top, "e")));
    calls.put(
        5,
        new Call(
            Nfs3Procedure.CREATE,
            w -> {
              Nfs3Client.where(w, top, "guarded");
              w.int32(1);
              Nfs3Client.sattr(w, 0600);
            }));
    calls.put(
        6,
        new Call(
            Nfs3Procedure.SYMLINK,
            w -> {
              Nfs3Client.where(w, top, "s");
              Nfs3Client.sattr(w, -1);
              w.opaque(Nfs3Client.name("target"));
            }));
    calls.put(
        7,
        new Call(
            Nfs3Procedure.MKNOD,
            w -> {
              Nfs3Client.where(w, top, "p");
              w.int32(7);
              Nfs3Client.sattr(w, 0600);
            }));
    calls.put(
        8,
        new Call(
            Nfs3Procedure.LINK,
            w -> {
              w.opaque(file);
              Nfs3Client.where(w, top, "linked");
            }));
    calls.put(
        9,
        new Call(
            Nfs3Procedure.SETATTR,
            w -> {
              w.opaque(file);
              Nfs3Client.sattr(w, 0640);
              w.bool(false);
            }));
    return calls;
  }

  @Test
  void everyProcedureIsAnsweredTwiceAndDoneOnce() throws IOException {
    try (Nfs3Rig rig = Nfs3Rig.journaled()) {
      byte[] file = rig.root.create(rig.top, "kept");
      rig.root.create(rig.top, "f");
      Map<Integer, byte[]> answers = new LinkedHashMap<>();
      Map<Integer, Call> script = script(rig.top, file);
      script.forEach((xid, call) -> {
        byte[] first = send(rig.root, xid, call);
        assertThat(status(first)).as(call.procedure.name()).isZero();
        assertThat(send(rig.root, xid, call)).as(call.procedure.name()).isEqualTo(first);
        answers.put(xid, first);
      });
      // The same after the server was killed, and after an orderly end.
      try (Nfs3Rig killed = Nfs3Rig.over(rig.device.killed())) {
        script.forEach((xid, call) ->
            assertThat(send(killed.root, xid, call))
                .as(call.procedure.name())
                .isEqualTo(answers.get(xid)));
        assertThat(status(send(killed.root, 100, Objects.requireNonNull(script.get(5)))))
            .isEqualTo(NfsStatus.EXIST);
        try (Nfs3Rig again = Nfs3Rig.over(killed.device.killed())) {
          assertThat(send(again.root, 1, Objects.requireNonNull(script.get(1))))
              .isEqualTo(answers.get(1));
        }
      }
    }
  }

  @Test
  void otherCallsAreNotTakenForRepeatedOnes() throws IOException {
    try (Nfs3Rig rig = Nfs3Rig.journaled()) {
      Call mkdir = mkdir(rig.top, "d");
      assertThat(status(send(rig.root, 1, mkdir))).isZero();
      assertThat(status(send(rig.root, 2, mkdir))).isEqualTo(NfsStatus.EXIST);
      assertThat(status(send(rig.root, 2, mkdir))).isEqualTo(NfsStatus.EXIST);
      assertThat(status(send(rig.root, 1, mkdir(rig.top, "other")))).isZero();
      rig.root.calls.as(7, 7);
      assertThat(status(send(rig.root, 1, mkdir))).isEqualTo(NfsStatus.EXIST);
      rig.root.calls.as(0, 0);
      InetAddress elsewhere = InetAddress.getByName("192.0.2.7");
      rig.root.calls.from(2, elsewhere, 777);
      assertThat(status(send(rig.root, 1, mkdir))).isEqualTo(NfsStatus.EXIST);
      rig.root.calls.from(3, InetAddress.getLoopbackAddress(), 999);
      assertThat(status(send(rig.root, 1, mkdir))).isZero(); // another port of the same client
    }
  }

  @Test
  void aCallThatIsBeingWorkedOnIsWaitedFor() throws Exception {
    try (Nfs3Rig rig = Nfs3Rig.journaled()) {
      rig.device.slowFlush(20_000_000);
      Call mkdir = mkdir(rig.top, "d");
      List<byte[]> answers = new ArrayList<>();
      List<Thread> threads = new ArrayList<>();
      CountDownLatch begin = new CountDownLatch(1);
      for (int i = 0; i < 8; i++) {
        Nfs3Client client = rig.client();
        threads.add(
            Thread.ofVirtual()
                .start(() -> {
                  try {
                    if (!begin.await(60, TimeUnit.SECONDS)) {
                      return;
                    }
                  } catch (InterruptedException e) {
                    return;
                  }
                  byte[] answer = send(client, 77, mkdir);
                  synchronized (answers) {
                    answers.add(answer);
                  }
                }));
      }
      begin.countDown();
      for (Thread thread : threads) {
        assertThat(thread.join(Duration.ofSeconds(60))).isTrue();
      }
      assertThat(answers).hasSize(8);
      answers.forEach(answer -> assertThat(answer).isEqualTo(answers.get(0)));
      assertThat(status(answers.get(0))).isZero();
    }
  }

  @Test
  void afterACrashThereAreTheChangeAndItsAnswerOrNeither() throws Exception {
    for (int seed = 0; seed < 12; seed++) {
      Random random = new Random(seed);
      try (Nfs3Rig rig = Nfs3Rig.journaled()) {
        rig.device.slowFlush(2_000_000);
        int count = 6;
        for (int i = 0; i < count; i++) {
          rig.root.create(rig.top, "old" + i);
        }
        Map<Integer, byte[]> answered = new LinkedHashMap<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
          Nfs3Client client = rig.client();
          int xid = 10 * i;
          int number = i;
          threads.add(
              Thread.ofVirtual()
                  .start(() -> {
                    for (int step = 0; step < 3; step++) {
                      byte[] answer = send(client, xid + step, step(rig.top, number, step));
                      synchronized (answered) {
                        answered.put(xid + step, answer);
                      }
                    }
                  }));
        }
        Thread.sleep(random.nextInt(25));
        Map<Integer, byte[]> promised;
        CrashDevice left;
        synchronized (answered) {
          promised = new LinkedHashMap<>(answered);
          left = rig.device.crashed(random);
        }
        for (Thread thread : threads) {
          assertThat(thread.join(Duration.ofSeconds(60))).isTrue();
        }
        try (Nfs3Rig next = Nfs3Rig.over(left)) {
          for (int i = 0; i < count; i++) {
            repeat(next, i, promised, "seed " + seed + ", client " + i);
          }
        }
      }
    }
  }

  /// Returns a step of a client. Each step has a different reply if it is done twice.
  private static Call step(byte[] top, int client, int step) {
    return switch (step) {
      case 0 -> mkdir(top, "new" + client);
      case 1 -> rename(top, "new" + client, "moved" + client);
      default -> remove(top, "old" + client);
    };
  }

  /// Repeats all calls in order, as a client without replies does. Each must succeed and return the
  /// reply that was sent before the crash.
  private static void repeat(Nfs3Rig next, int client, Map<Integer, byte[]> promised, String what) {
    int last = -1;
    for (int step = 0; step < 3; step++) {
      last = promised.containsKey(10 * client + step) ? step : last;
    }
    for (int step = Math.max(0, last); step < 3; step++) {
      byte[] answer = send(next.root, 10 * client + step, step(next.top, client, step));
      assertThat(status(answer)).as(what + ", step " + step).isZero();
      byte[] before = promised.get(10 * client + step);
      if (before != null) {
        assertThat(answer).as(what + ", step " + step).isEqualTo(before);
      }
    }
    assertThat(next.root.find(next.top, "moved" + client)).as(what).isNotNull();
    assertThat(next.root.find(next.top, "old" + client)).as(what).isNull();
  }

  @Test
  void hostileRecordsAreNone() throws IOException {
    Nfs3Rig rig = Nfs3Rig.journaled();
    for (int i = 0; i < 40; i++) {
      assertThat(status(send(rig.root, i, mkdir(rig.top, "d" + i)))).isZero();
    }
    byte[] hidden = Nfs3Client.name(".sluice");
    long directory = rig.tree.lookup(Caller.ROOT, rig.tree.rootInode(), hidden);
    long file = rig.tree.lookup(Caller.ROOT, directory, Nfs3Client.name("nfs-replies"));
    Random random = new Random(9);
    Block block = Block.allocate(new Account("test", 4096), 4096);
    assertThat(block).isNotNull();
    if (block != null) {
      Memory memory = Memory.over(block, 0, 4096);
      for (int i = 0; i < 400; i++) {
        byte[] bytes = new byte[1 + random.nextInt(30)];
        random.nextBytes(bytes);
        memory.copyFrom(bytes, 0, 0, bytes.length);
        long at = random.nextInt(i % 2 == 0 ? 40 * 512 : 512 * 1024 - 30);
        rig.tree.write(Caller.ROOT, file, at, memory, 0, bytes.length);
      }
      memory.close();
      block.release();
    }
    try (Nfs3Rig next = rig.restart()) {
      for (int i = 0; i < 40; i++) {
        int status = status(send(next.root, i, mkdir(next.top, "d" + i)));
        assertThat(status).isIn(NfsStatus.OK, NfsStatus.EXIST); // recorded or done again
      }
      assertThat(status(send(next.root, 1000, mkdir(next.top, "x")))).isZero();
    }
  }

  @Test
  void manyMoreCallsThanSlots() throws IOException {
    try (Nfs3Rig rig = Nfs3Rig.journaled()) {
      int calls = PersistentReplies.SLOTS + 100;
      for (int i = 0; i < calls; i++) {
        Call call = i % 2 == 0 ? mkdir(rig.top, "d") : rename(rig.top, "d", "e" + i);
        assertThat(status(send(rig.root, i, call))).isZero();
      }
      try (Nfs3Rig next = Nfs3Rig.over(rig.device.killed())) {
        int last = calls - 1;
        assertThat(status(send(next.root, last, rename(next.top, "d", "e" + last)))).isZero();
        assertThat(status(send(next.root, 1, rename(next.top, "d", "e1"))))
            .isEqualTo(NfsStatus.NOENT); // evicted from the ring
      }
    }
  }
}
