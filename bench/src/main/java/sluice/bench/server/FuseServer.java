package sluice.bench.server;

import java.io.IOException;
import java.nio.file.Path;
import sluice.fs.Caller;
import sluice.fs.NewFile;
import sluice.fs.block.BlockDevice;
import sluice.fs.ext2.Ext2;
import sluice.fs.ext2.MountOptions;
import sluice.fs.ext2.format.Ext2Format;
import sluice.fs.ext2.format.FormatOptions;
import sluice.fs.fuse.FuseMount;
import sluice.fs.fuse.FuseOptions;
import sluice.fs.fuse.RingUse;
import sluice.fs.storage.BlockDevices;
import sluice.memory.Account;
import sluice.memory.Memory;
import sluice.memory.block.Block;

/// Sluice's server in `bench fuse`: an ext2 file system in memory with one file of 16 MiB, mounted
/// through FUSE until it is unmounted. A process of its own; runs on its main thread and the
/// mount's.
public final class FuseServer {
  private static final long DEVICE_BYTES = 64L << 20;
  private static final int FILE_BYTES = 16 << 20;

  private FuseServer() {}

  /// Mounts the file system until it is unmounted.
  ///
  /// @param args mount point, number of threads; or `ring`, for as many as io_uring needs
  public static void main(String[] args) throws IOException, InterruptedException {
    try (BlockDevice device = BlockDevices.memory(DEVICE_BYTES)) {
      Ext2Format.format(
          device, FormatOptions.forDevice(DEVICE_BYTES).withBlockBytes(4096), _ -> {});
      try (Ext2 tree = Ext2.mount(device, MountOptions.defaults())) {
        fill(tree);
        FuseOptions options =
            args[1].equals("ring")
                ? FuseOptions.of("bench").withRings(RingUse.ON)
                : FuseOptions.of("bench")
                    .withRings(RingUse.OFF)
                    .withThreads(Integer.parseInt(args[1]));
        try (FuseMount mount =
            FuseMount.open(tree, Path.of(args[0]), options, text -> System.err.println(text))) {
          System.out.println("ready");
          mount.awaitEnd();
        }
      }
    }
  }

  private static void fill(Ext2 tree) throws IOException {
    Block block = Block.allocate(new Account("bench", FILE_BYTES), FILE_BYTES);
    if (block == null) {
      throw new IOException("no memory for the file");
    }
    try (Memory memory = Memory.over(block, 0, FILE_BYTES)) {
      byte[] name = {'f', 'i', 'l', 'e'};
      long file = tree.create(Caller.ROOT, tree.rootInode(), name, NewFile.regular(0x1A4));
      int done = 0;
      while (done < FILE_BYTES) {
        done += tree.write(Caller.ROOT, file, done, memory, done, FILE_BYTES - done);
      }
      tree.sync();
    } finally {
      block.release();
    }
  }
}
