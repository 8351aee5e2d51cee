package sluice.fs.fuse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.fs.ext2.Ext2Rig;
import sluice.fs.fuse.FakeFuseKernel.Answer;
import sluice.sys.Errno;

/// Tests the FUSE protocol without a kernel: negotiation, the lifetime of files, and robustness
/// against any message.
@Timeout(240)
final class FuseProtocolTest {
  private static final int ALL = -1;
  private static final int[] NOTHING = {};

  @TempDir Path directory;

  private FakeFuseKernel kernel(Ext2Rig rig) throws IOException {
    return new FakeFuseKernel(rig.tree, FuseOptions.of("test"), directory);
  }

  private static FakeFuseKernel begun(FakeFuseKernel kernel) throws IOException {
    assertThat(kernel.init(7, 45, ALL).error()).isZero();
    return kernel;
  }

  private static long create(FakeFuseKernel kernel, String name) throws IOException {
    Answer made = kernel.ask(FuseOpcode.CREATE, 1, new int[] {2, 0x81A4, 0, 0}, name);
    assertThat(made.error()).isZero();
    assertThat(made.body().remaining())
        .isEqualTo(FuseLayout.ENTRY_BYTES + FuseLayout.OPEN_OUT_BYTES);
    return made.body().getLong(FuseLayout.ENTRY_NODEID);
  }

  private static ByteBuffer write(long position, byte[] bytes) {
    ByteBuffer body = FakeFuseKernel.body(FuseLayout.IO_BYTES + bytes.length);
    body.putLong(FuseLayout.IO_OFFSET, position).putInt(FuseLayout.IO_SIZE, bytes.length);
    body.position(FuseLayout.IO_BYTES).put(bytes);
    return body.flip();
  }

  private static ByteBuffer read(long position, int bytes) {
    ByteBuffer body = FakeFuseKernel.body(FuseLayout.IO_BYTES);
    return body.putLong(FuseLayout.IO_OFFSET, position).putInt(FuseLayout.IO_SIZE, bytes);
  }

  @Test
  void agreesOnWhatBothKnow() throws Exception {
    try (Ext2Rig rig = new Ext2Rig(8 << 20, 4096);
        FakeFuseKernel kernel = kernel(rig)) {
      Answer answer = kernel.init(7, 45, ALL);
      ByteBuffer out = answer.body();
      assertThat(out.remaining()).isEqualTo(FuseLayout.INIT_OUT_BYTES);
      assertThat(out.getInt(FuseLayout.INIT_MAJOR)).isEqualTo(7);
      assertThat(out.getInt(FuseLayout.INIT_MINOR)).isEqualTo(FuseOpcode.MINOR);
      assertThat(out.getInt(FuseLayout.INIT_MAX_WRITE)).isEqualTo(1 << 20);
      assertThat(out.getShort(FuseLayout.INIT_MAX_PAGES)).isEqualTo((short) 256);
      int flags = out.getInt(FuseLayout.INIT_FLAGS);
      assertThat(flags & FuseOpcode.PARALLEL_DIROPS).isNotZero();
      assertThat(flags & 1 << 16).as("FUSE_WRITEBACK_CACHE").isZero();
      assertThat(flags & 1 << 20).as("FUSE_POSIX_ACL").isZero();
      assertThat(flags & (1 << 1 | 1 << 10)).as("FUSE_POSIX_LOCKS, FUSE_FLOCK_LOCKS").isZero();
      assertThat(kernel.ask(FuseOpcode.OPEN, 1, new int[2]).error()).isEqualTo(-Errno.ENOSYS);
      kernel.session.awaitBegun();
    }
  }

  /// Checks that after the answer to `sync(2)` everything is at its final place in the image.
  @Test
  void syncfsWaitsForAll() throws Exception {
    try (Ext2Rig rig = new Ext2Rig(8 << 20, 4096);
        FakeFuseKernel kernel = begun(kernel(rig))) {
      long _ = create(kernel, "a");
      long point = rig.tree.stablePoint();
      assertThat(kernel.session.synced()).isFalse();
      assertThat(kernel.ask(FuseOpcode.SYNCFS, 1, new int[2]).error()).isZero();
      assertThat(kernel.session.synced()).isTrue();
      assertStable(rig, point);
    }
  }

  private static void assertStable(Ext2Rig rig, long point) throws Exception {
    CountDownLatch told = new CountDownLatch(1);
    rig.tree.whenStable(point, _ -> told.countDown());
    assertThat(told.getCount()).as("stable without a wait").isZero();
  }

  @Test
  void closingWaitsWhereThatIsWanted() throws Exception {
    FuseStability flushing = FuseStability.NONE.withFlushOnClose(true);
    FuseOptions options = FuseOptions.of("test").withStability(flushing);
    try (Ext2Rig rig = new Ext2Rig(8 << 20, 4096);
        FakeFuseKernel kernel = begun(new FakeFuseKernel(rig.tree, options, directory))) {
      long node = create(kernel, "a");
      assertThat(kernel.ask(FuseOpcode.WRITE, node, write(0, new byte[5000])).error()).isZero();
      long point = rig.tree.stablePoint();
      assertThat(kernel.ask(FuseOpcode.FLUSH, node, new int[6]).error()).isZero();
      assertStable(rig, point);
      assertThat(kernel.ask(FuseOpcode.FLUSH, node, new int[6]).error()).isZero();
    }
    try (Ext2Rig rig = new Ext2Rig(8 << 20, 4096);
        FakeFuseKernel kernel = begun(kernel(rig))) {
      int error = kernel.ask(FuseOpcode.FLUSH, create(kernel, "a"), new int[6]).error();
      assertThat(error).isEqualTo(-Errno.ENOSYS);
    }
  }

  /// Checks the last message of a mount from a block device.
  @Test
  void destroyClosesTheTreeThatIsTheMounts() throws Exception {
    FuseStability closing = FuseStability.NONE.withClosesTree(true);
    FuseOptions options = FuseOptions.of("test").withStability(closing);
    try (Ext2Rig rig = new Ext2Rig(8 << 20, 4096);
        FakeFuseKernel kernel = begun(new FakeFuseKernel(rig.tree, options, directory))) {
      long _ = create(kernel, "a");
      assertThat(kernel.ask(FuseOpcode.DESTROY, 0, NOTHING).error()).isZero();
      assertThat(rig.tree.closedCleanly()).isTrue();
      assertThat(kernel.ask(FuseOpcode.GETATTR, 1, new int[4]).error()).isEqualTo(-Errno.EIO);
    }
    try (Ext2Rig rig = new Ext2Rig(8 << 20, 4096);
        FakeFuseKernel kernel = begun(kernel(rig))) {
      long _ = create(kernel, "a");
      assertThat(kernel.ask(FuseOpcode.DESTROY, 0, NOTHING).error()).isZero();
      assertThat(rig.tree.closedCleanly()).isFalse();
      assertThat(rig.tree.attributes(rig.tree.rootInode()).isDirectory()).isTrue();
    }
  }

  @Test
  void aKernelThatOffersLittleGetsLittle() throws Exception {
    try (Ext2Rig rig = new Ext2Rig(8 << 20, 4096);
        FakeFuseKernel kernel = kernel(rig)) {
      ByteBuffer out = kernel.init(7, 31, FuseOpcode.BIG_WRITES).body();
      assertThat(out.getInt(FuseLayout.INIT_FLAGS)).isEqualTo(FuseOpcode.BIG_WRITES);
      assertThat(out.getInt(FuseLayout.INIT_MAX_WRITE)).isEqualTo(32 * 4096);
      assertThat(kernel.ask(FuseOpcode.OPEN, 1, new int[2]).error()).isZero();
      assertThat(kernel.ask(FuseOpcode.OPENDIR, 1, new int[2]).error()).isZero();
      assertThat(kernel.ask(FuseOpcode.RELEASEDIR, 1, new int[6]).error()).isZero();
    }
  }

  @Test
  void anOldKernelIsRefusedAndANewMajorVersionAsksAgain() throws Exception {
    try (Ext2Rig rig = new Ext2Rig(8 << 20, 4096);
        FakeFuseKernel kernel = kernel(rig)) {
      assertThat(kernel.init(8, 1, ALL).body().getInt(0)).isEqualTo(7);
      assertThat(kernel.init(7, 30, ALL).error()).isEqualTo(-Errno.EPROTO);
      assertThatThrownBy(kernel.session::awaitBegun)
          .hasMessageContaining("7.30")
          .hasMessageContaining("Fix: Linux 5.4");
    }
  }

  @Test
  void contentComesBack() throws Exception {
    for (int blockBytes : new int[] {1024, 4096}) {
      try (Ext2Rig rig = new Ext2Rig(16 << 20, blockBytes);
          FakeFuseKernel kernel = begun(kernel(rig))) {
        long node = create(kernel, "a");
        byte[] content = new byte[150_000];
        new Random(7).nextBytes(content);
        Answer written = kernel.ask(FuseOpcode.WRITE, node, write(4321, content));
        assertThat(written.body().getInt()).isEqualTo(content.length);
        Answer back = kernel.ask(FuseOpcode.READ, node, read(4321, content.length + 1));
        assertThat(back.body()).isEqualTo(ByteBuffer.wrap(content));
        assertThat(kernel.ask(FuseOpcode.READ, node, read(1 << 20, 100)).body().remaining())
            .isZero();
        Answer found = kernel.ask(FuseOpcode.LOOKUP, 1, NOTHING, "a");
        assertThat(found.body().getLong(FuseLayout.ENTRY_NODEID)).isEqualTo(node);
        assertThat(kernel.ask(FuseOpcode.LOOKUP, 1, NOTHING, "b").body().getLong(0)).isZero();
      }
    }
  }

  @Test
  void aRemovedFileLivesUntilTheKernelForgetsIt() throws Exception {
    try (Ext2Rig rig = new Ext2Rig(8 << 20, 4096);
        FakeFuseKernel kernel = begun(kernel(rig))) {
      long before = rig.tree.status().freeInodes();
      long node = create(kernel, "a");
      kernel.ask(FuseOpcode.LOOKUP, 1, NOTHING, "a");
      kernel.ask(FuseOpcode.WRITE, node, write(0, "hello".getBytes(StandardCharsets.UTF_8)));
      assertThat(kernel.ask(FuseOpcode.UNLINK, 1, NOTHING, "a").error()).isZero();
      assertThat(text(kernel.ask(FuseOpcode.READ, node, read(0, 5)))).isEqualTo("hello");
      ByteBuffer attributes = kernel.ask(FuseOpcode.GETATTR, node, new int[4]).body();
      assertThat(attributes.getInt(FuseLayout.ATTR_OUT_ATTR + FuseLayout.ATTR_NLINK)).isZero();
      kernel.send(FuseOpcode.FORGET, node, FakeFuseKernel.body(8).putLong(0, 1));
      assertThat(text(kernel.ask(FuseOpcode.READ, node, read(0, 5)))).isEqualTo("hello");
      ByteBuffer batch = FakeFuseKernel.body(24).putInt(0, 1).putLong(8, node).putLong(16, 1);
      kernel.send(FuseOpcode.BATCH_FORGET, 0, batch);
      assertThat(kernel.ask(FuseOpcode.GETATTR, node, new int[4]).error()).isEqualTo(-Errno.ESTALE);
      assertThat(rig.tree.status().freeInodes()).isEqualTo(before);
      assertThat(kernel.session.nodes.size()).isZero();
    }
  }

  @Test
  void anEndedConnectionFreesWhatItKept() throws Exception {
    try (Ext2Rig rig = new Ext2Rig(8 << 20, 4096)) {
      long before = rig.tree.status().freeInodes();
      try (FakeFuseKernel kernel = begun(kernel(rig))) {
        create(kernel, "a");
        kernel.ask(FuseOpcode.MKDIR, 1, new int[] {0x1ED, 0}, "d");
        kernel.ask(FuseOpcode.MKDIR, 1, new int[] {0x1ED, 0}, "e");
        assertThat(kernel.ask(FuseOpcode.UNLINK, 1, NOTHING, "a").error()).isZero();
        assertThat(kernel.ask(FuseOpcode.RMDIR, 1, NOTHING, "d").error()).isZero();
        assertThat(kernel.ask(FuseOpcode.RENAME, 1, new int[] {1, 0}, "e", "f").error()).isZero();
        assertThat(rig.tree.status().freeInodes()).isEqualTo(before - 3);
      }
      assertThat(rig.tree.status().freeInodes()).isEqualTo(before - 1);
    }
  }

  @Test
  void directoriesAreListedInPieces() throws Exception {
    try (Ext2Rig rig = new Ext2Rig(8 << 20, 4096);
        FakeFuseKernel kernel = begun(kernel(rig))) {
      for (int i = 0; i < 300; i++) {
        create(kernel, "file" + i);
      }
      int[] opcodes = {FuseOpcode.READDIR, FuseOpcode.READDIRPLUS};
      for (int opcode : opcodes) {
        int head = opcode == FuseOpcode.READDIR ? 0 : FuseLayout.ENTRY_BYTES;
        long offset = 0;
        int entries = 0;
        ByteBuffer piece = kernel.ask(opcode, 1, read(offset, 1000)).body();
        while (piece.remaining() > 0) {
          assertThat(piece.remaining()).isLessThanOrEqualTo(1000);
          int at = 0;
          while (at < piece.limit()) {
            offset = piece.getLong(at + head + FuseLayout.DIRENT_OFF);
            int name = piece.getInt(at + head + FuseLayout.DIRENT_NAMELEN);
            at += FuseLayout.padded(head + FuseLayout.DIRENT_NAME + name);
            entries++;
          }
          piece = kernel.ask(opcode, 1, read(offset, 1000)).body();
        }
        assertThat(entries).isEqualTo(303); // and ., .., lost+found
      }
    }
  }

  @Test
  void noMessageBreaksAnything() throws Exception {
    long seed = Long.getLong("sluice.seed", 1);
    Random random = new Random(seed);
    try (Ext2Rig rig = new Ext2Rig(4 << 20, 1024);
        FakeFuseKernel kernel = begun(kernel(rig))) {
      for (int i = 0; i < 20; i++) {
        create(kernel, "f" + i);
      }
      for (int i = 0; i < 4000; i++) {
        if (random.nextInt(20) == 0) {
          byte[] noise = new byte[4 + random.nextInt(60)];
          random.nextBytes(noise);
          ByteBuffer raw = ByteBuffer.wrap(noise).order(ByteOrder.LITTLE_ENDIAN);
          raw.putInt(0, random.nextBoolean() ? raw.capacity() : random.nextInt());
          kernel.sendRaw(raw);
        } else {
          int opcode = random.nextInt(56);
          boolean ends = opcode == FuseOpcode.INIT || opcode == FuseOpcode.DESTROY;
          kernel.send(ends ? 0 : opcode, node(random), hostile(random));
        }
        long ping = kernel.send(FuseOpcode.GETATTR, 1, FakeFuseKernel.body(16));
        Answer answer;
        do {
          answer = kernel.receive();
          assertThat(answer.error()).as("seed %d", seed).isBetween(-200, 0);
        } while (answer.unique() != ping);
        assertThat(answer.error()).as("seed %d", seed).isZero();
      }
      assertThat(kernel.workerLives()).isTrue();
    }
  }

  private static long node(Random random) {
    return switch (random.nextInt(8)) {
      case 0 -> random.nextLong();
      case 1 -> 0;
      case 2, 3 -> 1;
      default -> 11 + random.nextInt(30);
    };
  }

  /// Returns a body of numbers of all sizes, perhaps followed by names.
  private static ByteBuffer hostile(Random random) {
    ByteBuffer body = FakeFuseKernel.body(random.nextInt(160));
    while (body.remaining() >= 4) {
      body.putInt(
          switch (random.nextInt(6)) {
            case 0 -> random.nextInt();
            case 1 -> Integer.MAX_VALUE;
            case 2 -> -1;
            case 3 -> 'f' | ('0' + random.nextInt(10)) << 8;
            default -> random.nextInt(20);
          });
    }
    return body.clear();
  }

  private static String text(Answer answer) {
    return StandardCharsets.UTF_8.decode(answer.body()).toString();
  }
}
