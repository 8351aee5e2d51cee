package sluice.nfs.v3;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
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
import sluice.nfs.rpc.Wire;

/// Removes a file and reuses its inode number between two steps of a call: the reply is never about
/// the other file.
@Timeout(120)
final class Nfs3ReusedNumbersTest {
  private static final Caller ROOT = Caller.ROOT;
  private static final byte[] VICTIM = Nfs3Client.name("victim");
  private static final byte[] OTHER = Nfs3Client.name("other");

  private final InterruptedTree between = new InterruptedTree();
  private final Nfs3Rig rig = Nfs3Rig.through(between::over);
  private final Nfs3Client client = rig.root;
  private final long top = rig.tree.rootInode();

  Nfs3ReusedNumbersTest() throws IOException {}

  @AfterEach
  void close() throws IOException {
    assertThat(between.happened()).isTrue();
    rig.close();
  }

  private long victim(NewFile what) throws IOException {
    return rig.tree.create(ROOT, top, VICTIM, what);
  }

  /// Removes the victim and creates the other file.
  private long swap(NewFile what) throws IOException {
    rig.tree.unlink(ROOT, top, VICTIM);
    return rig.tree.create(ROOT, top, OTHER, what);
  }

  private void write(byte[] name, String content) throws IOException {
    try (ServerFile file = new ServerFile(rig.tree, rig.tree.lookup(ROOT, top, name), 64)) {
      file.write(0, Nfs3Client.name(content));
    }
  }

  private String read(byte[] name) throws IOException {
    try (ServerFile file = new ServerFile(rig.tree, rig.tree.lookup(ROOT, top, name), 64)) {
      return new String(file.read(0, 64), StandardCharsets.UTF_8);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void lookup(boolean slowly) throws IOException {
    long inode = victim(NewFile.regular(0644));
    client.lookup(rig.top, "victim");
    client.calls.slowly(slowly);
    between.before(
        slowly ? "attributes" : "tryAttributes",
        inode,
        () -> assertThat(swap(NewFile.regular(0600))).isEqualTo(inode));
    assertThat(client.find(rig.top, "victim")).isNull();
    client.calls.slowly(false);
    assertThat(client.lookup(rig.top, "other")).isNotEmpty();
  }

  /// During a lookup, the name is removed, its inode number is reused, and then both belong to a
  /// third file.
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void lookupOfANameThatChangesTwice(boolean slowly) throws IOException {
    long inode = victim(NewFile.regular(0644));
    client.lookup(rig.top, "victim");
    client.calls.slowly(slowly);
    between.before(
        slowly ? "attributes" : "tryAttributes",
        inode,
        () -> {
          assertThat(swap(NewFile.regular(0600))).isEqualTo(inode);
          between.before(
              slowly ? "lookup" : "tryLookup",
              top,
              () -> {
                rig.tree.unlink(ROOT, top, OTHER);
                assertThat(victim(NewFile.regular(0644))).isEqualTo(inode);
              });
        });
    byte[] found = client.lookup(rig.top, "victim");
    assertThat(client.lookup(rig.top, "victim")).isEqualTo(found);
    assertThat(client.attributes(found).mode()).isEqualTo(0644);
  }

  /// The directory of a handle becomes another directory.
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void lookupInADirectory(boolean slowly) throws IOException {
    long inode = victim(NewFile.directory(0755));
    byte[] directory = client.lookup(rig.top, "victim");
    client.calls.slowly(slowly);
    between.before(
        slowly ? "lookup" : "tryLookup",
        inode,
        () -> {
          rig.tree.rmdir(ROOT, top, VICTIM);
          long other = rig.tree.create(ROOT, top, OTHER, NewFile.directory(0700));
          assertThat(other).isEqualTo(inode);
          rig.tree.create(ROOT, other, Nfs3Client.name("f"), NewFile.regular(0600));
        });
    Wire answer = client.call(Nfs3Procedure.LOOKUP, w -> Nfs3Client.where(w, directory, "f"));
    assertThat(answer.u32()).isEqualTo(NfsStatus.STALE);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void read(boolean slowly) throws IOException {
    long inode = victim(NewFile.regular(0644));
    write(VICTIM, "public");
    byte[] file = client.lookup(rig.top, "victim");
    assertThat(client.read(file, 0, 64)).isEqualTo(Nfs3Client.name("public"));
    client.calls.slowly(slowly);
    between.before(
        slowly ? "slices" : "tryRead",
        inode,
        () -> {
          assertThat(swap(NewFile.regular(0600))).isEqualTo(inode);
          write(OTHER, "secret");
          read(OTHER);
        });
    Wire answer = client.call(Nfs3Procedure.READ, w -> w.opaque(file).int64(0).int32(64));
    assertThat(answer.u32()).isEqualTo(NfsStatus.STALE);
  }

  @Test
  void readlink() throws IOException {
    long inode = victim(NewFile.symlink(Nfs3Client.name("public")));
    byte[] link = client.lookup(rig.top, "victim");
    between.before(
        "readLink",
        inode,
        () -> assertThat(swap(NewFile.symlink(Nfs3Client.name("secret")))).isEqualTo(inode));
    Wire answer = client.call(Nfs3Procedure.READLINK, w -> w.opaque(link));
    assertThat(answer.u32()).isEqualTo(NfsStatus.STALE);
  }

  /// Returns names and handles; null for a missing handle.
  private Map<String, byte @Nullable []> listPlus(byte[] directory) {
    Wire answer =
        client.call(
            Nfs3Procedure.READDIRPLUS,
            w -> w.opaque(directory).int64(0).int64(0).int32(8192).int32(8192));
    assertThat(answer.u32()).isZero();
    answer.postOp();
    answer.u64();
    Map<String, byte @Nullable []> all = new HashMap<>();
    while (answer.bool()) {
      long number = answer.u64();
      String name = new String(answer.opaque(), StandardCharsets.UTF_8);
      answer.u64();
      Wire.Attributes a = answer.postOp();
      assertThat(a == null || a.fileid() == number).isTrue();
      all.put(name, answer.postOpHandle());
    }
    return all;
  }

  @Test
  void readdirplus() throws IOException {
    long inode = victim(NewFile.regular(0644));
    between.before(
        "tryAttributes", inode, () -> assertThat(swap(NewFile.regular(0600))).isEqualTo(inode));
    Map<String, byte @Nullable []> listed = listPlus(rig.top);
    assertThat(listed).containsEntry("victim", null).doesNotContainKey("other");
    assertThat(listPlus(rig.top)).containsKey("other").doesNotContainKey("victim");
  }

  /// A name that refers to another file meanwhile is listed with the handle of that file.
  @Test
  void readdirplusOfAReplacedName() throws IOException {
    long inode = victim(NewFile.regular(0644));
    between.before(
        "tryAttributes",
        inode,
        () -> {
          swap(NewFile.regular(0600));
          rig.tree.create(ROOT, top, VICTIM, NewFile.regular(0644));
        });
    Map<String, byte @Nullable []> listed = listPlus(rig.top);
    assertThat(listed.get("victim")).isEqualTo(client.lookup(rig.top, "victim"));
  }

  private Wire createUnchecked(boolean empty) {
    return client.call(
        Nfs3Procedure.CREATE,
        w -> {
          Nfs3Client.where(w, rig.top, "victim");
          w.int32(0).bool(false).bool(false).bool(false).bool(empty);
          if (empty) {
            w.int64(0);
          }
          w.int32(0).int32(0);
        });
  }

  @Test
  void createOfWhatExists() throws IOException {
    long inode = victim(NewFile.regular(0644));
    between.before("attributes", inode, () -> swap(NewFile.regular(0600)));
    Wire answer = createUnchecked(false);
    assertThat(answer.u32()).isZero();
    byte[] made = answer.postOpHandle();
    assertThat(made).isEqualTo(client.lookup(rig.top, "victim"));
    assertThat(made).isNotEqualTo(client.lookup(rig.top, "other"));
  }

  @Test
  void createThatEmptiesWhatExists() throws IOException {
    long inode = victim(NewFile.regular(0644));
    between.before(
        "setAttributes",
        inode,
        () -> {
          swap(NewFile.regular(0600));
          write(OTHER, "dear");
        });
    assertThat(createUnchecked(true).u32()).isZero();
    assertThat(read(OTHER)).isEqualTo("dear");
  }
}
