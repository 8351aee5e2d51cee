package sluice.nfs.v3;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.rpc.Wire;

/// Tests many concurrent clients: commits are shared, weak cache consistency data are correct, and
/// nothing is lost.
@Timeout(300)
final class Nfs3ConcurrencyTest {
  private interface Work {
    void run(Nfs3Client client, int number) throws Exception;
  }

  private static void together(Nfs3Rig rig, int count, Work work) throws Exception {
    List<Future<?>> all = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < count; i++) {
        int number = i;
        all.add(
            threads.submit(() -> {
              work.run(rig.client(), number);
              return null;
            }));
      }
      for (Future<?> one : all) {
        one.get(240, TimeUnit.SECONDS);
      }
    }
  }

  @Test
  void clientsShareCommits() throws Exception {
    try (Nfs3Rig rig = Nfs3Rig.journaled()) {
      rig.root.create(rig.top, "warm");
      rig.device.slowFlush(100_000_000); // while one waits, even a slow machine makes many changes
      int before = rig.device.flushes();
      int clients = 32;
      int each = 10;
      together(
          rig,
          clients,
          (client, number) -> {
            for (int i = 0; i < each; i++) {
              client.create(rig.top, "f" + number + "-" + i);
            }
          });
      int flushes = rig.device.flushes() - before;
      System.out.printf("%d creations, %d flushes%n", clients * each, flushes);
      assertThat(flushes).isLessThan(clients * each / 2);
    }
  }

  @Test
  void treesWithoutAJournalAreStableToo() throws Exception {
    try (Nfs3Rig rig = Nfs3Rig.plain()) {
      assertThat(rig.exports.warnings()).singleElement().asString().contains("no journal");
      together(rig, 8, (client, number) -> client.mkdir(rig.top, "d" + number));
      try (Nfs3Rig next = Nfs3Rig.over(rig.device.killed()).unchecked()) {
        for (int i = 0; i < 8; i++) {
          assertThat(next.root.find(next.top, "d" + i)).isNotNull();
        }
      }
    }
  }

  /// Each new directory adds a link to its parent, so the replies reveal their order: the
  /// attributes "before" in one reply must equal the attributes "after" in the previous one.
  @Test
  void attributesBeforeBelongToTheChange() throws Exception {
    try (Nfs3Rig rig = Nfs3Rig.journaled()) {
      byte[] directory = rig.root.mkdir(rig.top, "d");
      Map<Integer, Wire.Wcc> byLinks = new ConcurrentHashMap<>();
      together(
          rig,
          8,
          (client, number) -> {
            for (int i = 0; i < 40; i++) {
              String name = "f" + number + "-" + i;
              Wire answer =
                  client.call(
                      Nfs3Procedure.MKDIR,
                      w -> {
                        Nfs3Client.where(w, directory, name);
                        Nfs3Client.sattr(w, 0700);
                      });
              assertThat(answer.u32()).isZero();
              answer.postOpHandle();
              answer.postOp();
              Wire.Wcc wcc = answer.wcc();
              Wire.Attributes after = Objects.requireNonNull(wcc.after());
              assertThat(byLinks.put(after.links(), wcc)).isNull();
            }
          });
      assertThat(byLinks).hasSize(8 * 40);
      for (int links = 4; links < 3 + 8 * 40; links++) {
        Wire.Attributes before = known(byLinks, links - 1).after();
        Wire.Before claimed = known(byLinks, links).before();
        assertThat(before).isNotNull();
        if (before != null) {
          assertThat(claimed)
              .isEqualTo(new Wire.Before(before.size(), before.mtime(), before.ctime()));
        }
      }
    }
  }

  private static Wire.Wcc known(Map<Integer, Wire.Wcc> byLinks, int links) {
    return Objects.requireNonNull(byLinks.get(links));
  }

  @Test
  void everythingAtATime() throws Exception {
    try (Nfs3Rig rig = Nfs3Rig.journaled()) {
      together(rig, 12, (client, number) -> play(rig, client, new Random(number)));
      for (int i = 0; i < 6; i++) {
        byte[] found = rig.root.find(rig.top, "n" + i);
        if (found != null) {
          rig.root.attributes(found);
        }
      }
      rig.tree.sync();
      assertThat(rig.root.create(rig.top, "after")).isNotEmpty(); // it still accepts changes
    }
  }

  private static void play(Nfs3Rig rig, Nfs3Client client, Random random) {
    for (int i = 0; i < 120; i++) {
      String name = "n" + random.nextInt(6);
      String other = "n" + random.nextInt(6);
      switch (random.nextInt(8)) {
        case 0 -> {
          Wire made =
              client.call(
                  Nfs3Procedure.CREATE,
                  w -> {
                    Nfs3Client.where(w, rig.top, name);
                    w.int32(0);
                    Nfs3Client.sattr(w, 0600);
                  });
          assertThat(made.u32()).isIn(NfsStatus.OK, NfsStatus.EXIST);
        }
        case 1 -> assertThat(client.remove(rig.top, name)).isIn(NfsStatus.OK, NfsStatus.NOENT);
        case 2 ->
            assertThat(client.rename(rig.top, name, rig.top, other))
                .isIn(NfsStatus.OK, NfsStatus.NOENT);
        case 3, 4 -> {
          byte[] file = client.find(rig.top, name);
          if (file != null) {
            byte[] bytes = new byte[random.nextInt(100_000)];
            java.util.Arrays.fill(bytes, (byte) 7);
            assertThat(client.write(file, random.nextInt(1000), bytes, 0).status())
                .isIn(NfsStatus.OK, NfsStatus.STALE);
          }
        }
        case 5 -> {
          byte[] file = client.find(rig.top, name);
          if (file != null) {
            assertThat(client.truncate(file, random.nextInt(50_000)))
                .isIn(NfsStatus.OK, NfsStatus.STALE);
          }
        }
        case 6 -> {
          byte[] file = client.find(rig.top, name);
          if (file != null) {
            assertThat(client.link(file, rig.top, other))
                .isIn(NfsStatus.OK, NfsStatus.EXIST, NfsStatus.STALE, NfsStatus.NOENT);
          }
        }
        default -> readSome(rig, client, name);
      }
    }
  }

  /// The content consists of zeros and sevens, independently of concurrent writers.
  private static void readSome(Nfs3Rig rig, Nfs3Client client, String name) {
    byte[] file = client.find(rig.top, name);
    if (file == null) {
      return;
    }
    Wire answer = client.call(Nfs3Procedure.READ, w -> w.opaque(file).int64(0).int32(1 << 20));
    int status = answer.u32();
    assertThat(status).isIn(NfsStatus.OK, NfsStatus.STALE);
    if (status == 0) {
      answer.postOp();
      answer.u32();
      answer.bool();
      for (byte b : answer.opaque()) {
        assertThat(b == 0 || b == 7).isTrue();
      }
      answer.end();
    }
  }

  /// The inode number of a removed file is reused for a new one. A lookup must return neither the
  /// file of another name nor an error about the directory.
  @Test
  void aNameLeadsToNoOtherFile() throws Exception {
    try (Nfs3Rig rig = Nfs3Rig.journaled()) {
      CountDownLatch makers = new CountDownLatch(2);
      together(
          rig,
          6,
          (client, number) -> {
            if (number < 2) {
              try {
                for (int i = 0; i < 300; i++) {
                  client.create(rig.top, "name" + number, 0600 + number);
                  assertThat(client.remove(rig.top, "name" + number)).isZero();
                }
              } finally {
                makers.countDown();
              }
            } else {
              client.calls.slowly(number < 4);
              while (makers.getCount() > 0) {
                lookUp(rig, client, number & 1);
                LockSupport.parkNanos(1); // lets other threads use the carrier
              }
            }
          });
    }
  }

  private static void lookUp(Nfs3Rig rig, Nfs3Client client, int number) {
    Wire answer =
        client.call(Nfs3Procedure.LOOKUP, w -> Nfs3Client.where(w, rig.top, "name" + number));
    int status = answer.u32();
    assertThat(status).isIn(NfsStatus.OK, NfsStatus.NOENT);
    if (status == NfsStatus.OK) {
      answer.opaque();
      Wire.Attributes found = Objects.requireNonNull(answer.postOp());
      assertThat(found.mode() & 0777).isEqualTo(0600 + number);
    }
  }

  @Test
  void aFullTreeSaysSoAndGoesOn() throws IOException {
    try (Nfs3Rig rig = Nfs3Rig.journaled()) {
      byte[] file = rig.root.create(rig.top, "big");
      long at = 0;
      Nfs3Client.Written written;
      do {
        written = rig.root.write(file, at, new byte[1 << 20], 0);
        at += written.count();
      } while (written.status() == 0 && written.count() == 1 << 20);
      while (rig.root.write(file, at, new byte[1024], 0).count() == 1024) {
        at += 1024;
      }
      assertThat(rig.root.write(file, at, new byte[1024], 0).status()).isEqualTo(NfsStatus.NOSPC);
      int made = 0;
      int status = 0;
      for (int i = 0; status == 0; i++) {
        String name = "d" + i;
        Wire answer =
            rig.root.call(
                Nfs3Procedure.MKDIR,
                w -> {
                  Nfs3Client.where(w, rig.top, name);
                  Nfs3Client.sattr(w, 0700);
                });
        status = answer.u32();
        made += status == 0 ? 1 : 0;
      }
      assertThat(status).isEqualTo(NfsStatus.NOSPC);
      assertThat(rig.root.remove(rig.top, "big")).isZero();
      assertThat(rig.root.mkdir(rig.top, "room" + made)).isNotEmpty();
      assertThat(rig.root.truncate(rig.root.create(rig.top, "next"), 5)).isZero();
    }
  }
}
