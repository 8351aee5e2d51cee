package sluice.nfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.nfs.v4.Nfs4TestClient.open;
import static sluice.nfs.v4.Nfs4TestClient.unchecked;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.fs.Caller;
import sluice.fs.FileTree;
import sluice.fs.NewFile;
import sluice.nfs.export.ServerFile;
import sluice.nfs.v3.Nfs3Client;
import sluice.nfs.v3.Nfs3Procedure;
import sluice.nfs.v3.Nfs3Rig;
import sluice.nfs.v4.Nfs4Rig;
import sluice.nfs.v4.Nfs4TestClient;
import sluice.testbase.Await;

/// Tests what waits for the journal when an existing file is opened for creation: only a reply
/// about something that is not stable yet. The flushes of the device are held, so a call that waits
/// does not return.
@Timeout(240)
final class StabilityTest {
  private static final int TIMEOUT_SECONDS = 60;

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  @AfterEach
  void close() {
    threads.shutdownNow();
  }

  private <T> T now(Callable<T> call) throws Exception {
    return threads.submit(call).get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
  }

  /// Makes a change that no call waits for.
  private static void unstable(FileTree tree) throws IOException {
    long made = tree.create(Caller.ROOT, tree.rootInode(), new byte[] {'u'}, NewFile.regular(0600));
    try (ServerFile file = new ServerFile(tree, made, 64)) {
      file.write(0, new byte[64]);
    }
  }

  private static void awaitName(FileTree tree, String name) throws Exception {
    Await.until(
        name,
        () -> {
          try {
            return tree.lookup(Caller.ROOT, tree.rootInode(), Nfs3Client.name(name)) != 0;
          } catch (IOException notYet) {
            return false;
          }
        });
  }

  private static byte[] createUnchecked(Nfs3Client client, byte[] directory, String name) {
    return Nfs3Client.made(
        client.call(
            Nfs3Procedure.CREATE,
            w -> {
              Nfs3Client.where(w, directory, name);
              w.int32(0);
              Nfs3Client.sattr(w, 0644);
            }));
  }

  @Test
  void createOfWhatExists() throws Exception {
    try (Nfs3Rig rig = Nfs3Rig.journaled()) {
      byte[] old = rig.root.create(rig.top, "old");
      unstable(rig.tree);
      rig.device.holdFlushes();
      try {
        assertThat(now(() -> createUnchecked(rig.client(), rig.top, "old"))).isEqualTo(old);
        Future<byte[]> made = threads.submit(() -> rig.client().create(rig.top, "new"));
        awaitName(rig.tree, "new");
        Future<byte[]> again = threads.submit(() -> createUnchecked(rig.client(), rig.top, "new"));
        Thread.sleep(200); // an unstable reply can only be too early
        assertThat(made.isDone() || again.isDone()).isFalse();
        rig.device.letFlushesGo();
        assertThat(again.get(TIMEOUT_SECONDS, TimeUnit.SECONDS))
            .isEqualTo(made.get(TIMEOUT_SECONDS, TimeUnit.SECONDS));
      } finally {
        rig.device.letFlushesGo();
      }
    }
  }

  @Test
  void openOfWhatExists() throws Exception {
    try (Nfs4Rig rig = new Nfs4Rig()) {
      Nfs4TestClient one = rig.client("one");
      Nfs4TestClient two = rig.client("two");
      byte[] data = one.handle("srv", "data");
      byte[] old = one.open(data, open("o", 3, 0, unchecked(0644), "old")).handle();
      unstable(rig.tree);
      rig.device.holdFlushes();
      try {
        Callable<byte[]> open =
            () -> two.open(data, open("o", 3, 0, unchecked(0644), "old")).handle();
        assertThat(now(open)).isEqualTo(old);
        Future<byte[]> made =
            threads.submit(() -> one.open(data, open("o", 3, 0, unchecked(0644), "new")).handle());
        awaitName(rig.tree, "new");
        Future<byte[]> again =
            threads.submit(() -> two.open(data, open("o", 3, 0, unchecked(0644), "new")).handle());
        Thread.sleep(200);
        assertThat(made.isDone() || again.isDone()).isFalse();
        rig.device.letFlushesGo();
        assertThat(again.get(TIMEOUT_SECONDS, TimeUnit.SECONDS))
            .isEqualTo(made.get(TIMEOUT_SECONDS, TimeUnit.SECONDS));
      } finally {
        rig.device.letFlushesGo();
      }
    }
  }
}
