package sluice.nfs.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.fs.Caller;
import sluice.fs.FileTree;
import sluice.fs.NewFile;
import sluice.nfs.CrashDevice;
import sluice.nfs.ExportOptions;
import sluice.nfs.rpc.RpcRefusal;
import sluice.nfs.v3.Nfs3Client;
import sluice.nfs.v3.Nfs3Procedure;
import sluice.nfs.v3.Nfs3Rig;

/// Tests file handles: their content, refusals, and their validity after changes.
@Timeout(120)
final class FileHandlesTest {
  private static final int PLACE_OF_INODE = 16;

  /// Computes SipHash-2-4 of a message, written from the paper.
  private static long reference(byte[] key, byte[] message) {
    ByteBuffer k = ByteBuffer.wrap(key).order(ByteOrder.LITTLE_ENDIAN);
    long[] v = {0x736f6d6570736575L, 0x646f72616e646f6dL, 0x6c7967656e657261L, 0x7465646279746573L};
    for (int i = 0; i < 4; i++) {
      v[i] ^= k.getLong(8 * (i & 1));
    }
    int words = message.length / 8;
    ByteBuffer m = ByteBuffer.allocate(8 * words + 8).order(ByteOrder.LITTLE_ENDIAN);
    m.put(message).put(8 * words + 7, (byte) message.length);
    for (int i = 0; i <= words; i++) {
      v[3] ^= m.getLong(8 * i);
      rounds(v, 2);
      v[0] ^= m.getLong(8 * i);
    }
    v[2] ^= 0xff;
    rounds(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
  }

  private static void rounds(long[] v, int count) {
    for (int i = 0; i < count; i++) {
      v[0] += v[1];
      v[2] += v[3];
      v[1] = Long.rotateLeft(v[1], 13) ^ v[0];
      v[3] = Long.rotateLeft(v[3], 16) ^ v[2];
      v[0] = Long.rotateLeft(v[0], 32);
      v[2] += v[1];
      v[0] += v[3];
      v[1] = Long.rotateLeft(v[1], 17) ^ v[2];
      v[3] = Long.rotateLeft(v[3], 21) ^ v[0];
      v[2] = Long.rotateLeft(v[2], 32);
    }
  }

  @Test
  void checksumIsThatOfThePaper() {
    byte[] key = new byte[16];
    byte[] message = new byte[15];
    for (int i = 0; i < 16; i++) {
      key[i] = (byte) i;
      message[Math.min(i, 14)] = (byte) Math.min(i, 14);
    }
    assertThat(reference(key, message)).isEqualTo(0xa129ca6149be45e5L); // appendix A
    Random random = new Random(7);
    for (int i = 0; i < 1000; i++) {
      byte[] longer = new byte[32];
      random.nextBytes(key);
      random.nextBytes(longer);
      ByteBuffer k = ByteBuffer.wrap(key).order(ByteOrder.LITTLE_ENDIAN);
      ByteBuffer m = ByteBuffer.wrap(longer).order(ByteOrder.LITTLE_ENDIAN);
      long sum =
          SipHash.of(
              k.getLong(0), k.getLong(8), m.getLong(0), m.getLong(8), m.getLong(16), m.getLong(24));
      assertThat(sum).isEqualTo(reference(key, longer));
    }
  }

  @Test
  void guessedHandlesAreRefused() throws IOException {
    try (Nfs3Rig rig = Nfs3Rig.journaled()) {
      assertThat(rig.top.length).isLessThanOrEqualTo(64);
      for (int bit = 0; bit < 8 * rig.top.length; bit++) {
        byte[] guess = rig.top.clone();
        guess[bit >> 3] ^= (byte) (1 << (bit & 7));
        boolean elsewhere = bit >= 32 && bit < 128; // names another export or tree
        assertThat(rig.root.getattrStatus(guess))
            .as("bit " + bit)
            .isEqualTo(elsewhere ? NfsStatus.STALE : NfsStatus.BADHANDLE);
      }
      for (int length = 0; length <= 64; length += 4) {
        byte[] other = new byte[length];
        System.arraycopy(rig.top, 0, other, 0, Math.min(length, rig.top.length));
        int expected = length == rig.top.length ? NfsStatus.OK : NfsStatus.BADHANDLE;
        assertThat(rig.root.getattrStatus(other)).as("length " + length).isEqualTo(expected);
      }
      int garbage = rig.root.reply(Nfs3Procedure.GETATTR, w -> w.opaque(new byte[68])).status();
      assertThat(garbage).isEqualTo(RpcRefusal.GARBAGE_ARGUMENTS);
    }
  }

  @Test
  void removedAndReusedFilesAreStale() throws IOException {
    try (Nfs3Rig rig = Nfs3Rig.journaled()) {
      byte[] first = rig.root.create(rig.top, "file");
      assertThat(rig.root.remove(rig.top, "file")).isZero();
      assertThat(rig.root.getattrStatus(first)).isEqualTo(NfsStatus.STALE);
      byte[] second = rig.root.create(rig.top, "other");
      long inode = ByteBuffer.wrap(first).getLong(PLACE_OF_INODE);
      assertThat(ByteBuffer.wrap(second).getLong(PLACE_OF_INODE)).isEqualTo(inode);
      assertThat(second).isNotEqualTo(first);
      assertThat(rig.root.getattrStatus(first)).isEqualTo(NfsStatus.STALE);
      assertThat(rig.root.write(first, 0, new byte[10], 2).status()).isEqualTo(NfsStatus.STALE);
      assertThat(rig.root.attributes(second).size()).isZero();
    }
  }

  @Test
  void handlesSurviveRestartsAndAreOfOneImage() throws IOException {
    Nfs3Rig rig = Nfs3Rig.journaled();
    byte[] directory = rig.root.mkdir(rig.top, "d");
    byte[] file = rig.root.create(directory, "f");
    rig.root.write(file, 0, "content");
    try (Nfs3Rig next = rig.restart();
        Nfs3Rig killed = Nfs3Rig.over(next.device.killed());
        Nfs3Rig other = Nfs3Rig.journaled()) {
      assertThat(next.root.read(file, 0, 100)).isEqualTo(Nfs3Client.name("content"));
      assertThat(next.top).isEqualTo(rig.top);
      assertThat(killed.root.read(file, 0, 100)).isEqualTo(Nfs3Client.name("content"));
      assertThat(other.root.getattrStatus(file)).isEqualTo(NfsStatus.STALE);
    }
  }

  /// Finding a file by its handle reads no names and no directories, for any number of files and
  /// after a restart. Only inode blocks are read from the device.
  @Test
  void aHandleIsFoundWithoutASearch() throws IOException {
    int files = 2_000;
    List<byte[]> handles = new ArrayList<>();
    CrashDevice device;
    try (Nfs3Rig rig = Nfs3Rig.journaled()) {
      byte[] directory = rig.root.mkdir(rig.top, "d");
      for (int i = 0; i < files; i++) {
        if (i % 100 == 0) {
          directory = rig.root.mkdir(directory, "deeper");
        }
        handles.add(rig.root.create(directory, "f" + i));
      }
      device = rig.device.killed();
    }
    List<String> asked = Collections.synchronizedList(new ArrayList<>());
    try (Nfs3Rig rig = Nfs3Rig.over(device, tree -> counted(tree, asked))) {
      asked.clear();
      int reads = device.reads();
      for (byte[] handle : handles) {
        assertThat(rig.root.getattrStatus(handle)).isZero();
      }
      assertThat(device.reads() - reads).as("reads").isLessThan(files / 2);
      assertThat(asked).doesNotContain("lookup", "tryLookup", "find", "list");
      assertThat(asked.size()).as("calls of the tree").isLessThanOrEqualTo(6 * files);
    }
  }

  /// Returns a tree that records the names of called methods.
  private static FileTree counted(FileTree tree, List<String> asked) {
    return (FileTree)
        Proxy.newProxyInstance(
            FileTree.class.getClassLoader(),
            new Class<?>[] {FileTree.class},
            (_, method, arguments) -> {
              asked.add(method.getName());
              try {
                return method.invoke(tree, arguments);
              } catch (InvocationTargetException e) {
                throw Objects.requireNonNull(e.getCause());
              }
            });
  }

  @Test
  void theServersFilesAreNotSeen() throws IOException {
    try (Nfs3Rig rig = Nfs3Rig.journaled()) {
      long hidden = rig.tree.lookup(Caller.ROOT, rig.tree.rootInode(), Nfs3Client.name(".sluice"));
      assertThat(hidden).isPositive();
      assertThat(rig.root.find(rig.top, ".sluice")).isNull();
      assertThat(rig.root.rmdir(rig.top, ".sluice")).isEqualTo(NfsStatus.NOENT);
      assertThat(rig.root.remove(rig.top, ".sluice")).isEqualTo(NfsStatus.NOENT);
      byte[] file = rig.root.create(rig.top, "f");
      assertThat(rig.root.rename(rig.top, "f", rig.top, ".sluice")).isEqualTo(NfsStatus.ACCES);
      assertThat(rig.root.rename(rig.top, ".sluice", rig.top, "g")).isEqualTo(NfsStatus.NOENT);
      assertThat(rig.root.link(file, rig.top, ".sluice")).isEqualTo(NfsStatus.ACCES);
      byte[] below = rig.root.mkdir(rig.top, "d");
      // The name is only reserved in the root.
      assertThat(rig.root.create(below, ".sluice")).isNotEmpty();
      assertThatThrownBy(() -> rig.exports.find(Nfs3Client.name("/data/.sluice")))
          .hasMessageContaining("ENOENT");
    }
  }

  @Test
  void readOnlyImagesKeepTheirKey() throws IOException {
    Nfs3Rig rig = Nfs3Rig.journaled();
    byte[] file = rig.root.create(rig.top, "f");
    rig.exports.close();
    rig.tree.close();
    try (Nfs3Rig again = Nfs3Rig.readOnly(rig.device)) {
      assertThat(again.root.attributes(file).size()).isZero();
      assertThat(again.exports.warnings()).isEmpty();
      assertThat(again.root.remove(again.top, "f")).isEqualTo(NfsStatus.ROFS);
    }
    CrashDevice fresh = Nfs3Rig.format(true);
    try (Nfs3Rig without = Nfs3Rig.readOnly(fresh)) {
      assertThat(without.exports.warnings()).singleElement().asString().contains("Fix:");
      assertThat(without.root.attributes(without.top).type()).isEqualTo(2);
    }
  }

  @Test
  void exportsLeadNoHigherThanTheyShould() throws IOException {
    try (Nfs3Rig rig = Nfs3Rig.journaled()) {
      byte[] sub = rig.root.mkdir(rig.top, "sub");
      byte[] deep = rig.root.mkdir(sub, "deep");
      rig.exports.add("/part", rig.tree, "/sub", ExportOptions.defaults());
      byte[] part = rig.root.mount("/part");
      byte[] partDeep = rig.root.mount("/part/deep/");
      assertThat(rig.root.mount("/data/sub/deep")).isEqualTo(deep);
      assertThat(rig.root.lookup(partDeep, "..")).isEqualTo(part);
      assertThat(rig.root.lookup(part, "..")).isEqualTo(part);
      assertThat(rig.root.lookup(deep, "..")).isEqualTo(sub);
      assertThat(rig.root.lookup(rig.top, "..")).isEqualTo(rig.top);
      assertThat(rig.root.rename(sub, "deep", part, "x")).isEqualTo(NfsStatus.XDEV);
      rig.tree.create(Caller.ROOT, rig.tree.rootInode(), new byte[] {'f'}, NewFile.regular(0));
      assertThat(rig.root.mountCall(1, w -> w.opaque(Nfs3Client.name("/data/f"))).u32())
          .isEqualTo(NfsStatus.NOTDIR);
      assertThatThrownBy(() -> rig.exports.add("/part/", rig.tree, "/", ExportOptions.defaults()))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
