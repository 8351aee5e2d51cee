package sluice.fs.fuse;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.fs.ext2.Ext2Rig;
import sluice.fs.fuse.FakeFuseKernel.Answer;
import sluice.sys.Errno;

/// Tests FUSE over io_uring without a kernel. Requests lie in an entry where the kernel puts them,
/// and the answers are where it expects them.
@Timeout(240)
final class FuseRingEntryTest {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
  private static final byte[] EMPTY = {};

  private static ByteBuffer words(int... words) {
    return FakeFuseKernel.body(words);
  }

  private static byte[] names(String... names) {
    return (String.join("\0", names) + "\0").getBytes(StandardCharsets.UTF_8);
  }

  private static Answer init(FakeFuseRing ring, int flags, int flags2) throws Exception {
    ByteBuffer in = FakeFuseKernel.body(64).putInt(0, 7).putInt(4, 45).putInt(8, 131_072);
    return ring.ask(FuseOpcode.INIT, 0, in.putInt(12, flags).putInt(16, flags2), EMPTY);
  }

  private static long create(FakeFuseRing ring, String name) throws Exception {
    Answer made = ring.ask(FuseOpcode.CREATE, 1, words(2, 0x81A4, 0, 0), names(name));
    assertThat(made.error()).isZero();
    return made.body().getLong(FuseLayout.ENTRY_NODEID);
  }

  private static ByteBuffer transfer(long position, int bytes) {
    ByteBuffer in = FakeFuseKernel.body(FuseLayout.IO_BYTES);
    return in.putLong(FuseLayout.IO_OFFSET, position).putInt(FuseLayout.IO_SIZE, bytes);
  }

  @Test
  void ringsAreAgreedOnWhereBothHaveThem() throws Exception {
    int uring = 1 << 9; // FUSE_OVER_IO_URING >> 32
    for (int i = 0; i < 8; i++) {
      boolean ready = (i & 1) != 0;
      int flags = (i & 2) != 0 ? -1 : ~FuseOpcode.INIT_EXT;
      int flags2 = (i & 4) != 0 ? -1 : ~uring;
      try (Ext2Rig rig = new Ext2Rig(8 << 20, 4096);
          FakeFuseRing ring = new FakeFuseRing(rig.tree, ready)) {
        Answer answer = init(ring, flags, flags2);
        assertThat(answer.error()).isZero();
        boolean agreed = i == 7;
        assertThat(ring.session.overRings()).isEqualTo(agreed);
        int extended = answer.body().getInt(FuseLayout.INIT_FLAGS) & FuseOpcode.INIT_EXT;
        assertThat(extended != 0).isEqualTo(agreed);
        assertThat(answer.body().getInt(FuseLayout.INIT_FLAGS2)).isEqualTo(agreed ? uring : 0);
      }
    }
  }

  @Test
  void contentOfAnyLengthComesBack() throws Exception {
    for (int blockBytes : new int[] {1024, 4096}) {
      try (Ext2Rig rig = new Ext2Rig(16 << 20, blockBytes);
          FakeFuseRing ring = new FakeFuseRing(rig.tree, true)) {
        assertThat(init(ring, -1, -1).error()).isZero();
        long node = create(ring, "a");
        byte[] content = new byte[FuseSession.MAX_TRANSFER];
        new Random(7).nextBytes(content);
        for (int bytes : new int[] {1, 4096, 150_000, content.length}) {
          byte[] part = Arrays.copyOf(content, bytes);
          Answer written = ring.ask(FuseOpcode.WRITE, node, transfer(4321, bytes), part);
          assertThat(written.error()).isZero();
          assertThat(written.body().getInt()).isEqualTo(bytes);
          // With blocks of 1024 bytes, the longest has more pieces than one call of writev takes.
          Answer back = ring.ask(FuseOpcode.READ, node, transfer(4321, bytes), EMPTY);
          assertThat(back.body()).isEqualTo(ByteBuffer.wrap(part));
        }
        Answer behind = ring.ask(FuseOpcode.READ, node, transfer(1 << 23, 100), EMPTY);
        assertThat(behind.error()).isZero();
        assertThat(behind.body().remaining()).isZero();
      }
    }
  }

  @Test
  void namesAndRefusalsAreWhereTheKernelHasThem() throws Exception {
    try (Ext2Rig rig = new Ext2Rig(8 << 20, 4096);
        FakeFuseRing ring = new FakeFuseRing(rig.tree, true)) {
      assertThat(init(ring, -1, -1).error()).isZero();
      long node = create(ring, "old");
      assertThat(ring.ask(FuseOpcode.OPEN, node, words(0, 0), EMPTY).error())
          .isEqualTo(-Errno.ENOSYS);
      Answer moved = ring.ask(FuseOpcode.RENAME2, 1, words(1, 0, 0, 0), names("old", "a new name"));
      assertThat(moved.error()).isZero();
      assertThat(moved.body().remaining()).isZero();
      // LOOKUP has no structure: its content is the name alone.
      Answer found = ring.ask(FuseOpcode.LOOKUP, 1, NOTHING.duplicate(), names("a new name"));
      assertThat(found.body().getLong(FuseLayout.ENTRY_NODEID)).isEqualTo(node);
      assertThat(ring.ask(FuseOpcode.MKDIR, 1, words(0x1ED, 0), names("a new name")).error())
          .isEqualTo(-Errno.EEXIST);
      assertThat(
              ring.ask(FuseOpcode.SYMLINK, 1, NOTHING.duplicate(), names("link", "target")).error())
          .isZero();
      for (int i = 0; i < 100; i++) {
        create(ring, "file" + i);
      }
      Answer listed = ring.ask(FuseOpcode.READDIRPLUS, 1, transfer(0, 65_536), EMPTY);
      String all = StandardCharsets.ISO_8859_1.decode(listed.body()).toString();
      assertThat(all).contains("a new name", "link", "file0", "file99");
      // A request without an answer leaves an empty one, because only an answer gives the entry
      // back.
      ByteBuffer forgotten = FakeFuseKernel.body(8).putLong(0, 1);
      Answer none = ring.ask(FuseOpcode.FORGET, node, forgotten, EMPTY);
      assertThat(none.error()).isZero();
      assertThat(none.body().remaining()).isZero();
      ring.session.refuse();
      assertThat(ring.ask(FuseOpcode.GETATTR, 1, words(0, 0, 0, 0), EMPTY).error())
          .isEqualTo(-Errno.EIO);
    }
  }

  @Test
  void aRequestThatContradictsItselfIsRefused() throws Exception {
    try (Ext2Rig rig = new Ext2Rig(8 << 20, 4096);
        FakeFuseRing ring = new FakeFuseRing(rig.tree, true)) {
      assertThat(init(ring, -1, -1).error()).isZero();
      long node = create(ring, "a");
      for (long bytes : new long[] {-1, 1, 1000, FuseSession.MAX_TRANSFER + 1L}) {
        Answer before = ring.ask(FuseOpcode.GETATTR, node, words(0, 0, 0, 0), EMPTY);
        assertThat(before.error()).isZero();
        ring.inOut(FuseLayout.RING_ENTRY_COMMIT_ID, 77);
        // The header still contains the length of the request.
        ring.memory.set(JAVA_INT_UNALIGNED, FuseLayout.IN_LEN, FuseLayout.IN_BYTES);
        ring.memory.set(JAVA_INT_UNALIGNED, FuseLayout.IN_OPCODE, FuseOpcode.UNLINK);
        ring.inOut(FuseLayout.RING_ENTRY_PAYLOAD_SZ, bytes);
        ring.entry.answer();
        Answer refused = ring.answer();
        assertThat(refused.unique()).isEqualTo(77);
        assertThat(refused.error()).isEqualTo(-Errno.EIO);
        assertThat(refused.body().remaining()).isZero();
      }
    }
  }

  @Test
  void noRequestBreaksAnything() throws Exception {
    long seed = Long.getLong("sluice.seed", 1);
    Random random = new Random(seed);
    try (Ext2Rig rig = new Ext2Rig(4 << 20, 1024);
        FakeFuseRing ring = new FakeFuseRing(rig.tree, true)) {
      assertThat(init(ring, -1, -1).error()).isZero();
      for (int i = 0; i < 20; i++) {
        create(ring, "f" + i);
      }
      for (int i = 0; i < 4000; i++) {
        for (int at = 0; at < FuseLayout.RING_HEADER_BYTES; at += 4) {
          int value = random.nextInt(4) == 0 ? random.nextInt() : random.nextInt(60);
          ring.memory.set(JAVA_INT_UNALIGNED, at, value);
        }
        int opcode = random.nextInt(56);
        boolean once = opcode == FuseOpcode.INIT || opcode == FuseOpcode.DESTROY;
        ring.memory.set(JAVA_INT_UNALIGNED, FuseLayout.IN_OPCODE, once ? 0 : opcode);
        ring.memory.set(JAVA_LONG_UNALIGNED, FuseLayout.IN_NODEID, random.nextInt(40));
        int content = random.nextInt(3) == 0 ? random.nextInt() : random.nextInt(200);
        ring.inOut(FuseLayout.RING_ENTRY_PAYLOAD_SZ, Integer.toUnsignedLong(content));
        int first = random.nextInt(140);
        ring.memory.set(
            JAVA_INT_UNALIGNED, FuseLayout.IN_LEN, FuseLayout.IN_BYTES + first + content);
        ring.entry.answer();
        assertThat(ring.answer().error()).as("seed %d", seed).isBetween(-200, 0);
        Answer alive = ring.ask(FuseOpcode.GETATTR, 1, words(0, 0, 0, 0), EMPTY);
        assertThat(alive.error()).as("seed %d", seed).isZero();
      }
    }
  }
}
