package sluice.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.nfs.v4.Nfs4TestClient.bytes;
import static sluice.nfs.v4.Nfs4TestClient.existing;
import static sluice.nfs.v4.Nfs4TestClient.getAttr;
import static sluice.nfs.v4.Nfs4TestClient.lookup;
import static sluice.nfs.v4.Nfs4TestClient.mkdir;
import static sluice.nfs.v4.Nfs4TestClient.open;
import static sluice.nfs.v4.Nfs4TestClient.plain;
import static sluice.nfs.v4.Nfs4TestClient.putFh;
import static sluice.nfs.v4.Nfs4TestClient.read;
import static sluice.nfs.v4.Nfs4TestClient.readDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.fs.Caller;
import sluice.fs.NewFile;
import sluice.nfs.InterruptedTree;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.export.ServerFile;
import sluice.nfs.rpc.XdrReader;
import sluice.nfs.v4.Nfs4TestClient.Op;
import sluice.nfs.v4.Nfs4TestClient.Opened;
import sluice.nfs.v4.wire.Bitmap;
import sluice.nfs.v4.wire.Nfs4Attribute;
import sluice.nfs.v4.wire.Nfs4Op;

/// Repeats `Nfs3ReusedNumbersTest` with NFSv4.1.
@Timeout(120)
final class Nfs4ReusedNumbersTest {
  private static final Caller ROOT = Caller.ROOT;
  private static final byte[] VICTIM = bytes("victim");
  private static final byte[] OTHER = bytes("other");
  private static final Op GET_HANDLE = plain(Nfs4Op.GETFH);

  private final InterruptedTree between = new InterruptedTree();
  private final Nfs4Rig rig = new Nfs4Rig(between::over);
  private final Nfs4TestClient client = rig.client("one");
  private final byte[] data = client.handle("srv", "data");
  private final long top = rig.tree.rootInode();

  Nfs4ReusedNumbersTest() throws IOException {}

  @AfterEach
  void close() throws IOException {
    assertThat(between.happened()).isTrue();
    rig.close();
  }

  private long victim() throws IOException {
    return rig.tree.create(ROOT, top, VICTIM, NewFile.regular(0644));
  }

  private long swap() throws IOException {
    rig.tree.unlink(ROOT, top, VICTIM);
    return rig.tree.create(ROOT, top, OTHER, NewFile.regular(0600));
  }

  private void write(byte[] name, String content) throws IOException {
    try (ServerFile file = new ServerFile(rig.tree, rig.tree.lookup(ROOT, top, name), 64)) {
      file.write(0, bytes(content));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void lookupOfAName(boolean slowly) throws IOException {
    long inode = victim();
    client.handle("srv", "data", "victim");
    client.calls.slowly(slowly);
    between.before(
        slowly ? "attributes" : "tryAttributes", inode, () -> assertThat(swap()).isEqualTo(inode));
    assertThat(client.statusOn(data, lookup("victim"), GET_HANDLE)).isEqualTo(NfsStatus.NOENT);
    assertThat(client.statusOn(data, lookup("other"), GET_HANDLE)).isZero();
  }

  /// A directory is moved, and its old parent is removed.
  @Test
  void lookupOfTheParent() throws IOException {
    long above = rig.tree.create(ROOT, top, VICTIM, NewFile.directory(0755));
    rig.tree.create(ROOT, above, bytes("d"), NewFile.directory(0755));
    byte[] directory = client.handle("srv", "data", "victim", "d");
    between.before(
        "attributes",
        above,
        () -> {
          rig.tree.rename(ROOT, above, bytes("d"), top, bytes("d"), 0);
          rig.tree.rmdir(ROOT, top, VICTIM);
          long other = 0;
          for (int i = 0; other != above; i++) { // they are spread over the image
            other = rig.tree.create(ROOT, top, bytes("other" + i), NewFile.directory(0700));
          }
        });
    Nfs4TestClient.Reply reply = client.run(putFh(directory), plain(Nfs4Op.LOOKUPP), GET_HANDLE);
    reply.plain(Nfs4Op.PUTFH, Nfs4Op.LOOKUPP);
    assertThat(reply.ok(Nfs4Op.GETFH).opaque(128)).isEqualTo(data);
  }

  @Test
  void openOfWhatExists() throws IOException {
    long inode = victim();
    between.before("attributes", inode, () -> assertThat(swap()).isEqualTo(inode));
    assertThat(client.statusOn(data, open("o", 1, 0, existing(), "victim")))
        .isEqualTo(NfsStatus.NOENT);
  }

  @Test
  void openThatIsTooLate() throws IOException {
    long inode = victim();
    between.before("retain", inode, () -> assertThat(swap()).isEqualTo(inode));
    assertThat(client.statusOn(data, open("o", 1, 0, existing(), "victim")))
        .isEqualTo(NfsStatus.NOENT);
  }

  /// A new file is reported as it was created, not as it is a moment later.
  @Test
  void createThatIsRemovedAtOnce() throws IOException {
    between.before(
        "release",
        InterruptedTree.ANY,
        () -> {
          long inode = rig.tree.lookup(ROOT, top, VICTIM);
          rig.tree.rmdir(ROOT, top, VICTIM);
          assertThat(rig.tree.create(ROOT, top, OTHER, NewFile.directory(0700))).isEqualTo(inode);
        });
    Nfs4TestClient.Reply reply = client.run(putFh(data), mkdir("victim", 0755), GET_HANDLE);
    reply.plain(Nfs4Op.PUTFH);
    XdrReader in = reply.ok(Nfs4Op.CREATE);
    in.skip(20);
    Bitmap.read(in);
    byte[] made = reply.ok(Nfs4Op.GETFH).opaque(128);
    assertThat(made).isNotEqualTo(client.handle("srv", "data", "other"));
    assertThat(client.statusOn(made, getAttr(1))).isEqualTo(NfsStatus.STALE);
  }

  @Test
  void listing() throws IOException {
    long inode = victim();
    between.before("tryAttributes", inode, () -> assertThat(swap()).isEqualTo(inode));
    assertThat(names()).doesNotContain("victim"); // it is removed
    assertThat(names()).contains("other");
  }

  /// Returns the names in a READDIR reply; checks that each has the handle that LOOKUP returns.
  private List<String> names() {
    Nfs4TestClient.Reply reply =
        client.run(putFh(data), readDir(0, 8192, Nfs4Attribute.FILEHANDLE));
    reply.plain(Nfs4Op.PUTFH);
    XdrReader in = reply.ok(Nfs4Op.READDIR);
    in.int64();
    List<String> names = new ArrayList<>();
    while (in.bool()) {
      in.int64();
      String name = new String(in.opaque(255), StandardCharsets.UTF_8);
      Bitmap.read(in);
      in.int32();
      byte[] handle = in.opaque(128);
      assertThat(handle).as(name).isEqualTo(client.handle("srv", "data", name));
      names.add(name);
    }
    assertThat(in.bool()).isTrue();
    return names;
  }

  @Test
  void readWithoutAnOpen() throws IOException {
    long inode = victim();
    write(VICTIM, "public");
    byte[] file = client.handle("srv", "data", "victim");
    between.before(
        "slices",
        inode,
        () -> {
          assertThat(swap()).isEqualTo(inode);
          write(OTHER, "secret");
        });
    assertThat(client.statusOn(file, read(StateId.ANONYMOUS, 0, 64))).isEqualTo(NfsStatus.STALE);
  }

  @Test
  void writeWithoutAnOpen() throws IOException {
    long inode = victim();
    byte[] file = client.handle("srv", "data", "victim");
    between.before(
        "write",
        inode,
        () -> {
          swap();
          write(OTHER, "dear");
        });
    assertThat(client.statusOn(file, Nfs4TestClient.write(StateId.ANONYMOUS, 0, 2, bytes("x"))))
        .isZero();
    Opened other = client.open(data, open("o", 1, 0, existing(), "other"));
    assertThat(client.content(other.handle(), other.id(), 0, 64)).isEqualTo(bytes("dear"));
  }
}
