package sluice.fs.ext2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.fs.Caller;
import sluice.fs.DeviceOverDevice;
import sluice.fs.FsException;
import sluice.fs.Images;
import sluice.fs.NewFile;
import sluice.fs.block.BlockDevice;
import sluice.fs.ext2.format.Ext2Format;
import sluice.fs.ext2.format.FormatOptions;
import sluice.fs.ext2.layout.InodeLayout;
import sluice.fs.storage.BlockDevices;
import sluice.memory.block.Block;
import sluice.sys.Errno;

/// Tests operations during which another thread changes names. Each case is constructed step by
/// step.
@Timeout(120)
final class Ext2RacesTest {
  private static final long BYTES = 8L << 20;
  private static final long ROOT = InodeLayout.ROOT;

  /// A device that stops one thread at its first read. Safe for use by any thread.
  private static final class StoppingDevice extends DeviceOverDevice {
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch go = new CountDownLatch(1);
    private volatile @Nullable Thread stopped;

    StoppingDevice(BlockDevice device) {
      super(device);
    }

    @Override
    public void read(long position, Block into, long offset, int bytes) throws IOException {
      if (Thread.currentThread() == stopped) {
        reached.countDown();
        await(go);
      }
      super.read(position, into, offset, bytes);
    }

    static void await(CountDownLatch latch) {
      try {
        assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  private static byte[] name(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static long create(Ext2 tree, long directory, String name, NewFile what)
      throws IOException {
    return tree.create(Caller.ROOT, directory, name(name), what);
  }

  /// Formats a device without a log, because commits would wait for the stopped thread.
  private static BlockDevice format() throws IOException {
    BlockDevice device = BlockDevices.memory(BYTES);
    FormatOptions options = FormatOptions.forDevice(BYTES).withBlockBytes(1024);
    Ext2Format.format(device, options.withJournalBlocks(0), _ -> {});
    return device;
  }

  /// Checks that the link is refused. Otherwise a directory would have two names, and after its
  /// removal the second name would lead to any file that gets its number.
  @Test
  void aFileWhoseNumberBecomesADirectorysIsNotLinked() throws Exception {
    try (BlockDevice memory = format()) {
      try (Ext2 tree = Ext2.mount(memory, MountOptions.defaults())) {
        create(tree, ROOT, "file", NewFile.regular(0644));
        create(tree, ROOT, "to", NewFile.directory(0755));
      }
      StoppingDevice device = new StoppingDevice(memory);
      try (Ext2 tree = Ext2.mount(device, MountOptions.defaults())) {
        long file = tree.lookup(Caller.ROOT, ROOT, name("file"));
        long to = tree.lookup(Caller.ROOT, ROOT, name("to"));
        assertThat(tree.attributes(file).isDirectory()).isFalse();
        assertThat(tree.attributes(to).isDirectory()).isTrue();
        FutureTask<Integer> link =
            new FutureTask<>(() -> {
              try {
                tree.link(Caller.ROOT, file, to, name("second"));
                return 0;
              } catch (FsException refused) {
                return refused.errno();
              }
            });
        Thread linker = Thread.ofPlatform().unstarted(link);
        device.stopped = linker;
        linker.start(); // has seen a regular file, and reads the block of the directory
        StoppingDevice.await(device.reached);
        tree.unlink(Caller.ROOT, ROOT, name("file"));
        long directory = create(tree, ROOT, "directory", NewFile.directory(0755));
        assertThat(directory).as("the number is used again").isEqualTo(file);
        device.go.countDown();
        assertThat(link.get(60, TimeUnit.SECONDS)).isEqualTo(Errno.EPERM);
        assertThat(tree.attributes(directory).links()).isEqualTo(2);
        tree.rmdir(Caller.ROOT, ROOT, name("directory"));
        create(tree, ROOT, "other", NewFile.regular(0644));
      }
      assertThat(Images.problems(memory)).isEmpty();
    }
  }

  /// Checks listings while names change. POSIX does not specify whether a name is listed that was
  /// added after the directory was opened. Each name has its own position, so it is not listed
  /// twice.
  @Test
  void aNameThatIsRemovedAndMadeAgainIsNotListedTwice() throws Exception {
    try (BlockDevice device = format();
        Ext2 tree = Ext2.mount(device, MountOptions.defaults())) {
      create(tree, ROOT, "one", NewFile.regular(0644));
      create(tree, ROOT, "two", NewFile.regular(0644));
      List<String> listed = new ArrayList<>();
      long cursor = list(tree, 0, "one", listed);
      tree.unlink(Caller.ROOT, ROOT, name("one"));
      create(tree, ROOT, "one more", NewFile.regular(0644)); // takes its place
      create(tree, ROOT, "one", NewFile.regular(0644));
      long _ = list(tree, cursor, "", listed);
      listed.remove("one more"); // before the cursor, or behind it
      assertThat(listed).containsExactlyInAnyOrder(".", "..", "lost+found", "one", "two");
    }
  }

  /// Lists up to and including a name, or to the end.
  ///
  /// @return the cookie behind the last name
  private static long list(Ext2 tree, long from, String until, List<String> into)
      throws IOException {
    long[] cookie = {from};
    boolean[] over = {false};
    boolean _ =
        tree.list(
            ROOT,
            from,
            (_, _, name, next) -> {
              if (over[0]) {
                return false;
              }
              into.add(new String(name, StandardCharsets.UTF_8));
              over[0] = into.getLast().equals(until);
              cookie[0] = next;
              return true;
            });
    return cookie[0];
  }
}
