package sluice.fs.ext2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.fs.Blocks;
import sluice.fs.Caller;
import sluice.fs.DeviceOverDevice;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.fs.Images;
import sluice.fs.NewFile;
import sluice.fs.SpaceWait;
import sluice.fs.block.BlockDevice;
import sluice.fs.ext2.format.Ext2Format;
import sluice.fs.ext2.format.FormatOptions;
import sluice.fs.storage.BlockDevices;
import sluice.memory.Memory;
import sluice.memory.block.Block;
import sluice.sys.Errno;
import sluice.testbase.Await;

/// Tests a volume that is full except for the space that a few threads need at once. The threads
/// fill it and free it repeatedly. Freed blocks are available only after a commit of the journal,
/// so each thread has to wait for its own blocks and those of the others. No operation is refused.
@Timeout(300)
final class FreedSpaceTest {
  private static final int BLOCK = 1024;
  private static final int THREADS = 4;
  private static final int FILE_BLOCKS = 24;

  /// The pointers of a file and the block of a directory.
  private static final int OTHER_BLOCKS = 4;

  private static final int ROUNDS = 300;

  private static final long COMMIT_NANOS = 50_000_000L;

  /// The smallest number of tries of a change that finds no space.
  private static final int LEAST_TRIES = 8;

  /// The largest number of commits during a change that finds no space, including the commits in
  /// which it begins and ends.
  private static final int MOST_COMMITS = (int) (SpaceWait.LIMIT_NANOS / COMMIT_NANOS) + 2;

  enum Filling {
    WRITE {
      @Override
      void fill(Ext2 tree, long directory, byte[] name, Memory from) throws IOException {
        long file = tree.create(Caller.ROOT, directory, name, NewFile.regular(0600));
        int bytes = FILE_BLOCKS * BLOCK;
        assertThat(tree.write(Caller.ROOT, file, 0, from, 0, bytes)).isEqualTo(bytes);
        tree.unlink(Caller.ROOT, directory, name);
      }
    },
    ALLOCATE {
      @Override
      void fill(Ext2 tree, long directory, byte[] name, Memory from) throws IOException {
        long file = tree.create(Caller.ROOT, directory, name, NewFile.regular(0600));
        tree.allocate(Caller.ROOT, file, 0, 0, FILE_BLOCKS * BLOCK);
        tree.unlink(Caller.ROOT, directory, name);
      }
    },
    DIRECTORIES {
      @Override
      void fill(Ext2 tree, long directory, byte[] name, Memory from) throws IOException {
        for (int i = 0; i < FILE_BLOCKS; i++) {
          tree.create(Caller.ROOT, directory, numbered(name, i), NewFile.directory(0700));
        }
        for (int i = 0; i < FILE_BLOCKS; i++) {
          tree.rmdir(Caller.ROOT, directory, numbered(name, i));
        }
      }
    },
    GROUPS {
      @Override
      void fill(Ext2 tree, long directory, byte[] name, Memory from) throws IOException {
        for (int i = 0; i < FILE_BLOCKS; i++) {
          make(tree, directory, numbered(name, i));
        }
        for (int i = 0; i < FILE_BLOCKS; i++) {
          FileTree.Group group = tree.group();
          try (group) {
            tree.rmdir(Caller.ROOT, directory, numbered(name, i));
          }
        }
      }

      private void make(Ext2 tree, long directory, byte[] name) throws IOException {
        SpaceWait wait = new SpaceWait();
        while (true) {
          long freed = tree.spaceFreed();
          FileTree.Group group = tree.group();
          try (group) {
            tree.create(Caller.ROOT, directory, name, NewFile.directory(0700));
            return;
          } catch (FsException e) {
            group.close();
            boolean full = e.errno() == Errno.ENOSPC;
            if (!full || !wait.mayTryAgain() || !tree.awaitSpace(freed)) {
              throw e;
            }
          }
        }
      }
    };

    abstract void fill(Ext2 tree, long directory, byte[] name, Memory from) throws IOException;

    static byte[] numbered(byte[] name, int number) {
      byte[] longer = name.clone();
      longer[1] = (byte) ('a' + number);
      return longer;
    }
  }

  @ParameterizedTest
  @EnumSource
  void isWaitedFor(Filling filling) throws Exception {
    try (Ext2Rig rig = new Ext2Rig(8 << 20, BLOCK)) {
      long directory = rig.directory(rig.root(), "d");
      fillAllBut(rig, THREADS * (FILE_BLOCKS + OTHER_BLOCKS));
      ConcurrentLinkedQueue<Throwable> problems = new ConcurrentLinkedQueue<>();
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        byte[] name = {(byte) ('0' + i), '.'};
        threads.add(
            Thread.ofPlatform()
                .start(() -> {
                  Block block = Blocks.of(FILE_BLOCKS * BLOCK);
                  try (Memory from = Memory.over(block, 0, FILE_BLOCKS * BLOCK)) {
                    for (int round = 0; round < ROUNDS && problems.isEmpty(); round++) {
                      filling.fill(rig.tree, directory, name, from);
                    }
                  } catch (IOException | RuntimeException | Error problem) {
                    problems.add(problem);
                  } finally {
                    block.release();
                  }
                }));
      }
      for (Thread thread : threads) {
        assertThat(thread.join(Duration.ofMinutes(4))).isTrue();
      }
      assertThat(problems).isEmpty();
      rig.tree.close();
      assertThat(Images.problems(rig.device)).isEmpty();
    }
  }

  /// Checks that a writer gives up. On a volume where only root's reserve is left, two threads of
  /// root allocate and free a block all the time. A commit takes at least 50 ms. So whenever the
  /// other user's write is retried, there are blocks that the next commit will free, but none for
  /// that user, and every try waits for a commit. A hundred tries would take five seconds.
  @Test
  void aWriterThatNeverGetsSpaceGivesUp() throws Exception {
    int commits = 0;
    for (int attempt = 0; attempt < 10 && commits < LEAST_TRIES; attempt++) {
      commits = commitsUntilItGivesUp();
    }
    // There are fewer if the threads of root slept through a commit, so that no blocks were about
    // to be freed.
    assertThat(commits).as("commits while it waited").isBetween(LEAST_TRIES, MOST_COMMITS);
  }

  private static int commitsUntilItGivesUp() throws Exception {
    AtomicInteger flushes = new AtomicInteger();
    long bytes = 8 << 20;
    FormatOptions format = FormatOptions.forDevice(bytes).withBlockBytes(BLOCK);
    int waited;
    try (BlockDevice memory = BlockDevices.memory(bytes)) {
      Ext2Format.format(memory, format, _ -> {});
      BlockDevice slow = new SlowFlush(memory, flushes);
      try (Ext2 tree = Ext2.mount(slow, MountOptions.defaults().withCacheBytes(4 << 20));
          Memory from = Memory.over(Blocks.of(64 * BLOCK), 0, 64 * BLOCK)) {
        long directory = tree.create(Caller.ROOT, 2, Ext2Rig.name("d"), NewFile.directory(0777));
        Caller user = Caller.checked(1000, 1000);
        long file = tree.create(user, directory, Ext2Rig.name("f"), NewFile.regular(0600));
        takeAll(tree, directory, user, from);
        AtomicBoolean ended = new AtomicBoolean();
        List<Thread> busy = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
          byte[] name = {(byte) ('0' + i), '.'};
          busy.add(Thread.ofPlatform().start(() -> churn(tree, directory, name, from, ended)));
        }
        Await.until("a commit", () -> flushes.get() > 0);
        int before = flushes.get();
        assertThatThrownBy(() -> tree.write(user, file, 0, from, 0, 8 * BLOCK))
            .isInstanceOfSatisfying(
                FsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOSPC));
        waited = flushes.get() - before;
        ended.set(true);
        for (Thread thread : busy) {
          assertThat(thread.join(Duration.ofMinutes(2))).isTrue();
        }
      }
      assertThat(Images.problems(memory)).isEmpty();
    }
    return waited;
  }

  private static void takeAll(Ext2 tree, long directory, Caller user, Memory from)
      throws IOException {
    long ballast = tree.create(user, directory, Ext2Rig.name("ballast"), NewFile.regular(0600));
    long position = 0;
    int done = 1;
    while (done > 0) {
      try {
        done = tree.write(user, ballast, position, from, 0, 64 * BLOCK);
        position += done;
      } catch (FsException e) {
        assertThat(e.errno()).isEqualTo(Errno.ENOSPC);
        done = 0;
      }
    }
  }

  private static void churn(
      Ext2 tree, long directory, byte[] name, Memory from, AtomicBoolean ended) {
    try {
      while (!ended.get()) {
        long file = tree.create(Caller.ROOT, directory, name, NewFile.regular(0600));
        tree.write(Caller.ROOT, file, 0, from, 0, BLOCK);
        tree.unlink(Caller.ROOT, directory, name);
        LockSupport.parkNanos(1_000_000L);
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /// A device with slow flushes.
  private static final class SlowFlush extends DeviceOverDevice {
    private final AtomicInteger flushes;

    SlowFlush(BlockDevice device, AtomicInteger flushes) {
      super(device);
      this.flushes = flushes;
    }

    @Override
    public void flush() throws IOException {
      LockSupport.parkNanos(COMMIT_NANOS);
      super.flush();
      flushes.incrementAndGet();
    }
  }

  private static void fillAllBut(Ext2Rig rig, int blocks) throws IOException {
    long ballast = rig.file(rig.root(), "ballast");
    long position = 0;
    while (true) {
      long more = Math.min(64, rig.tree.status().freeBlocks() - blocks);
      if (more <= 0) {
        break;
      }
      position += rig.tree.write(Caller.ROOT, ballast, position, rig.memory, 0, (int) more * BLOCK);
    }
    rig.tree.sync();
  }
}
