package sluice.fs.ext2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.fs.Caller;
import sluice.fs.NewFile;
import sluice.fs.block.BlockDevice;
import sluice.fs.ext2.format.Ext2Format;
import sluice.fs.ext2.format.FormatOptions;
import sluice.fs.storage.BlockDevices;
import sluice.testbase.Await;

/// Tests that nothing of a closed tree stays in memory, although the threads that used it live on.
@Timeout(120)
final class ClosedTreeTest {
  private static final long BYTES = 4L << 20;

  @ParameterizedTest(name = "journal {0}")
  @ValueSource(booleans = {true, false})
  void threadsThatUsedItDoNotKeepIt(boolean journaled) throws IOException, InterruptedException {
    List<WeakReference<Ext2>> closed = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      closed.add(useAndClose(journaled));
    }
    Await.untilAsserted(() -> {
      System.gc();
      assertThat(closed).allMatch(tree -> tree.get() == null);
    });
  }

  private static WeakReference<Ext2> useAndClose(boolean journaled) throws IOException {
    try (BlockDevice device = BlockDevices.memory(BYTES)) {
      FormatOptions format = FormatOptions.forDevice(BYTES).withJournalBlocks(journaled ? 1024 : 0);
      Ext2Format.format(device, format, _ -> {});
      Ext2 tree = Ext2.mount(device, MountOptions.defaults().withCacheBytes(1 << 20));
      tree.create(Caller.ROOT, tree.rootInode(), Ext2Rig.name("f"), NewFile.regular(0644));
      tree.sync();
      tree.close();
      return new WeakReference<>(tree);
    }
  }
}
