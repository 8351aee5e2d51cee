package sluice.fs.ext2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.fs.Blocks;
import sluice.fs.Caller;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.fs.Images;
import sluice.fs.NewFile;
import sluice.memory.Block;
import sluice.memory.Memory;
import sluice.sys.Errno;

/// A volume that is full, but for what a few threads need at once: they fill it and free it again
/// and again, and as freed blocks are available only when the journal has committed, each must wait
/// for its own and the others'. None is refused.
@Timeout(300)
final class FreedSpaceTest {
  private static final int BLOCK = 1024;
  private static final int THREADS = 4;
  private static final int FILE_BLOCKS = 24;

  /// A file's pointers, and a directory's block.
  private static final int OTHER_BLOCKS = 4;

  private static final int ROUNDS = 300;

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
        for (int round = 0; ; round++) {
          long freed = tree.spaceFreed();
          FileTree.Group group = tree.group();
          try (group) {
            tree.create(Caller.ROOT, directory, name, NewFile.directory(0700));
            return;
          } catch (FsException e) {
            group.close();
            if (e.errno() != Errno.ENOSPC || !tree.awaitSpace(freed, round)) {
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
