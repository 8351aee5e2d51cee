package sluice.fs.ext2.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.fs.Caller;
import sluice.fs.E2fsprogs;
import sluice.fs.FsException;
import sluice.fs.Images;
import sluice.fs.NewFile;
import sluice.fs.ext2.Ext2Rig;
import sluice.sys.Errno;

/// Tests that access control lists are stored in Linux's format and returned in the format that
/// programs expect.
@Timeout(120)
final class AccessControlListTest {
  private static final int BYTES = 4 << 20;
  private static final int NO_ID = -1;

  @TempDir Path directory;

  private static byte[] list(int version, int... fields) {
    ByteBuffer b = ByteBuffer.allocate(4 + fields.length / 3 * 8).order(ByteOrder.LITTLE_ENDIAN);
    b.putInt(version);
    for (int i = 0; i < fields.length; i += 3) {
      b.putShort((short) fields[i]).putShort((short) fields[i + 1]).putInt(fields[i + 2]);
    }
    return b.array();
  }

  /// Returns the list that `setfacl -m u:1000:r,u:1001:rwx,g:50:x` creates.
  private static byte[] good() {
    return list(
        2, 1, 6, NO_ID, 2, 4, 1000, 2, 7, 1001, 4, 5, NO_ID, 8, 1, 50, 0x10, 7, NO_ID, 0x20, 4,
        NO_ID);
  }

  private static byte[] shortest() {
    return list(2, 1, 6, NO_ID, 4, 4, NO_ID, 0x20, 0, NO_ID);
  }

  private static void refused(String errno, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FsException.class, e -> assertThat(Errno.name(e.errno())).isEqualTo(errno));
  }

  @Test
  void onTheDeviceItIsShorter() throws FsException {
    byte[] stored = AccessControlList.toDevice(good());
    assertThat(HexFormat.of().formatHex(stored))
        .isEqualTo(
            "01000000"
                + ("01000600" + "02000400e8030000" + "02000700e9030000" + "04000500")
                + ("0800010032000000" + "10000700" + "20000400"));
    assertThat(AccessControlList.ofDevice(stored, 12)).isEqualTo(good());
    assertThat(AccessControlList.ofDevice(AccessControlList.toDevice(shortest()), 12))
        .isEqualTo(shortest());
  }

  @Test
  void whatIsNoListIsRefused() {
    byte[][] bad = {
      {},
      {2, 0, 0},
      list(2),
      list(1, 1, 6, NO_ID, 4, 4, NO_ID, 0x20, 0, NO_ID),
      list(2, 1, 6, NO_ID, 4, 4, NO_ID), // no entry for others
      list(2, 1, 6, NO_ID, 1, 6, NO_ID, 4, 4, NO_ID, 0x20, 0, NO_ID), // two owners
      list(2, 4, 6, NO_ID, 1, 4, NO_ID, 0x20, 0, NO_ID), // out of order
      list(2, 1, 6, NO_ID, 2, 4, 7, 4, 4, NO_ID, 0x20, 0, NO_ID), // a user without a mask
      list(2, 1, 8, NO_ID, 4, 4, NO_ID, 0x20, 0, NO_ID), // no such permission
      list(2, 1, 6, NO_ID, 3, 4, 7, 4, 4, NO_ID, 0x10, 7, NO_ID, 0x20, 0, NO_ID),
      list(2, 1, 6, NO_ID, 4, 4, NO_ID, 0x20, 0, NO_ID, 0x40, 0, NO_ID)
    };
    for (byte[] list : bad) {
      refused("EINVAL", () -> AccessControlList.toDevice(list));
    }
  }

  /// Checks that any content of an image is either a list that survives a round trip, or rejected.
  @Test
  void noBytesAreFatal() throws FsException {
    Random random = new Random(7);
    byte[] stored = AccessControlList.toDevice(good());
    int lists = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = Arrays.copyOf(stored, random.nextInt(stored.length + 9));
      for (int hits = random.nextInt(3); hits > 0 && bytes.length > 0; hits--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      }
      try {
        assertThat(AccessControlList.toDevice(AccessControlList.ofDevice(bytes, 12)))
            .isEqualTo(bytes);
        lists++;
      } catch (FsException e) {
        assertThat(Errno.name(e.errno())).isEqualTo("EUCLEAN");
      }
    }
    assertThat(lists).isPositive();
  }

  @Test
  void theImageKeepsThem() throws Exception {
    try (Ext2Rig rig = new Ext2Rig(BYTES, 1024)) {
      long below = rig.directory(rig.root(), "d");
      long file = rig.file(below, "f");
      long link =
          rig.tree.create(
              Caller.ROOT, below, Ext2Rig.name("l"), NewFile.symlink(Ext2Rig.name("f")));
      assertThat(rig.tree.accessControlList(file, false)).isNull();
      rig.tree.setExtendedAttribute(Caller.ROOT, file, Ext2Rig.name("user.big"), new byte[200], 0);
      rig.tree.setAccessControlList(file, false, shortest());
      rig.tree.setAccessControlList(file, false, good());
      rig.tree.setAccessControlList(below, false, shortest());
      rig.tree.setAccessControlList(below, true, good());
      refused("EACCES", () -> rig.tree.setAccessControlList(file, true, good()));
      refused("EOPNOTSUPP", () -> rig.tree.setAccessControlList(link, false, good()));
      refused("EINVAL", () -> rig.tree.setAccessControlList(file, false, new byte[4]));
      rig.remount();
      assertThat(rig.tree.accessControlList(file, false)).isEqualTo(good());
      assertThat(rig.tree.accessControlList(file, true)).isNull();
      assertThat(rig.tree.accessControlList(below, false)).isEqualTo(shortest());
      assertThat(rig.tree.accessControlList(below, true)).isEqualTo(good());
      assertThat(rig.tree.extendedAttributes(Caller.ROOT, file))
          .as("not shown among the other attributes")
          .isEqualTo(Ext2Rig.name("user.big\0"));
      rig.tree.close();
      Path image = directory.resolve("image");
      Images.assertClean(rig.device, image, "with lists");
      linuxSees(image, "/d/f system.posix_acl_access");
      linuxSees(image, "/d system.posix_acl_default");
    }
  }

  /// Checks the list with e2fsprogs, which knows both formats and prints 0 for an entry without an
  /// id.
  private static void linuxSees(Path image, String what) throws IOException, InterruptedException {
    E2fsprogs.require("debugfs");
    E2fsprogs.Result result = E2fsprogs.run("debugfs", "-R", "ea_get -x " + what, image.toString());
    assertThat(result.output().replaceAll("\\s", ""))
        .contains(HexFormat.of().formatHex(good()).replace("ffffffff", "00000000"));
  }
}
