package sluice.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.nfs.v4.Nfs4TestClient.close;
import static sluice.nfs.v4.Nfs4TestClient.lockByOpen;
import static sluice.nfs.v4.Nfs4TestClient.named;
import static sluice.nfs.v4.Nfs4TestClient.open;
import static sluice.nfs.v4.Nfs4TestClient.unchecked;
import static sluice.nfs.v4.Nfs4TestClient.unlock;
import static sluice.nfs.v4.Nfs4TestClient.write;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.v4.Nfs4TestClient.Opened;
import sluice.nfs.v4.wire.Nfs4Op;
import sluice.nfs.v4.wire.Nfs4Status;

/// Tests many concurrent clients on a few files.
@Timeout(300)
final class Nfs4ThreadsTest {
  private static final int CLIENTS = 6;
  private static final int FILES = 3;
  private static final int ROUNDS = 200;

  /// The number of holders of the write lock on a file's first byte.
  private final AtomicIntegerArray holders = new AtomicIntegerArray(FILES);

  @Test
  void locksExcludeAndNothingIsLeftOver() throws Exception {
    try (Nfs4Rig rig = new Nfs4Rig()) {
      Nfs4TestClient judge = rig.client("judge");
      byte[] data = judge.handle("srv", "data");
      long free = rig.tree.status().freeInodes();
      run(rig, data);
      for (int i = 0; i < FILES; i++) {
        assertThat(judge.statusOn(data, named(Nfs4Op.REMOVE, "f" + i)))
            .isIn(NfsStatus.OK, NfsStatus.NOENT);
      }
      assertThat(rig.tree.status().freeInodes()).isEqualTo(free);
    }
  }

  private void run(Nfs4Rig rig, byte[] data)
      throws IOException, InterruptedException, ExecutionException {
    List<Future<?>> all = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(CLIENTS)) {
      for (int i = 0; i < CLIENTS; i++) {
        Nfs4TestClient client = rig.client("client " + i);
        Random random = new Random(i);
        all.add(threads.submit(() -> work(client, data, random)));
      }
      for (Future<?> one : all) {
        one.get();
      }
    }
  }

  private void work(Nfs4TestClient client, byte[] data, Random random) {
    for (int round = 0; round < ROUNDS; round++) {
      int index = random.nextInt(FILES);
      Opened file = client.open(data, open("o", 3, 0, unchecked(0644), "f" + index));
      Nfs4TestClient.Reply locked =
          client.run(
              Nfs4TestClient.putFh(file.handle()), lockByOpen(2, false, 0, 1, file.id(), "l"));
      int status = locked.plain(Nfs4Op.PUTFH).next(Nfs4Op.LOCK);
      if (status == NfsStatus.OK) {
        StateId locks = StateId.read(locked.in);
        if (index != 0) {
          // The first file is removed and created again, so two files may have had its name.
          assertThat(holders.incrementAndGet(index)).isEqualTo(1);
        }
        assertThat(client.statusOn(file.handle(), write(file.id(), 0, 0, new byte[10]))).isZero();
        if (index != 0) {
          holders.decrementAndGet(index);
        }
        assertThat(client.statusOn(file.handle(), unlock(locks, 0, 1))).isZero();
      } else {
        assertThat(status).isEqualTo(Nfs4Status.DENIED);
      }
      if (index == 0 && random.nextInt(4) == 0) {
        assertThat(client.statusOn(data, named(Nfs4Op.REMOVE, "f0")))
            .isIn(NfsStatus.OK, NfsStatus.NOENT);
      }
      assertThat(client.statusOn(file.handle(), close(file.id()))).isZero();
    }
  }
}
