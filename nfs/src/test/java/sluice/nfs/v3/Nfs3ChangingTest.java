package sluice.nfs.v3;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.fs.Caller;
import sluice.nfs.ExportOptions;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.rpc.RpcRefusal;
import sluice.nfs.rpc.Wire;
import sluice.nfs.rpc.XdrWriter;

/// Tests SETATTR, WRITE, COMMIT, CREATE, MKDIR, SYMLINK, MKNOD, REMOVE, RMDIR, RENAME and LINK:
/// their effects, and every byte of their replies and refusals.
@Timeout(120)
final class Nfs3ChangingTest {
  private final Nfs3Rig rig = Nfs3Rig.journaled();
  private final Nfs3Client client = rig.root;

  Nfs3ChangingTest() throws IOException {}

  @AfterEach
  void close() throws IOException {
    rig.close();
  }

  /// Returns the status of CREATE, MKDIR, SYMLINK or MKNOD.
  private int status(Nfs3Procedure procedure, Consumer<XdrWriter> arguments) {
    Wire answer = client.call(procedure, arguments);
    int status = answer.u32();
    if (status == 0) {
      answer.postOpHandle();
      answer.postOp();
    }
    answer.wcc();
    answer.end();
    return status;
  }

  private int mkdirStatus(byte[] directory, String name) {
    return status(
        Nfs3Procedure.MKDIR,
        w -> {
          Nfs3Client.where(w, directory, name);
          Nfs3Client.sattr(w, 0755);
        });
  }

  private Wire exclusive(byte[] directory, String name, long verifier) {
    return client.call(
        Nfs3Procedure.CREATE,
        w -> {
          Nfs3Client.where(w, directory, name);
          w.int32(2).int64(verifier);
        });
  }

  private Wire unchecked(byte[] directory, String name, long size) {
    return client.call(
        Nfs3Procedure.CREATE,
        w -> {
          Nfs3Client.where(w, directory, name);
          w.int32(0).bool(true).int32(0600).bool(false).bool(false);
          w.bool(size >= 0);
          if (size >= 0) {
            w.int64(size);
          }
          w.int32(0).int32(0);
        });
  }

  @Test
  void namesAreBytes() throws IOException {
    byte[] one = {'n', (byte) 0xE4};
    byte[] two = {'n', (byte) 0xFF, 1, '\n'};
    byte[] made =
        Nfs3Client.made(
            client.call(
                Nfs3Procedure.CREATE,
                w -> {
                  w.opaque(rig.top).opaque(one).int32(1);
                  Nfs3Client.sattr(w, 0644);
                }));
    Nfs3Client.made(
        client.call(
            Nfs3Procedure.SYMLINK,
            w -> {
              w.opaque(rig.top).opaque(two);
              Nfs3Client.sattr(w, -1);
              w.opaque(one);
            }));
    Wire found = client.call(Nfs3Procedure.LOOKUP, w -> w.opaque(rig.top).opaque(one));
    assertThat(found.u32()).isZero();
    assertThat(found.opaque()).isEqualTo(made);
    Wire list =
        client.call(Nfs3Procedure.READDIR, w -> w.opaque(rig.top).int64(0).int64(0).int32(4096));
    assertThat(list.u32()).isZero();
    assertThat(list.postOp()).isNotNull();
    list.u64();
    Set<String> names = new HashSet<>();
    while (list.bool()) {
      list.u64();
      names.add(new String(list.opaque(), ISO_8859_1));
      list.u64();
    }
    assertThat(names).contains("n\u00E4", "n\u00FF\u0001\n");
    long root = rig.tree.rootInode();
    assertThat(rig.tree.readLink(rig.tree.lookup(Caller.ROOT, root, two))).isEqualTo(one);
  }

  @Test
  void create() throws IOException {
    byte[] file = Nfs3Client.made(unchecked(rig.top, "f", -1));
    client.write(file, 0, "content");
    assertThat(Nfs3Client.made(unchecked(rig.top, "f", -1))).isEqualTo(file);
    assertThat(client.attributes(file).size()).isEqualTo(7);
    assertThat(Nfs3Client.made(unchecked(rig.top, "f", 0))).isEqualTo(file);
    assertThat(client.attributes(file).size()).isZero();
    assertThat(client.attributes(Nfs3Client.made(unchecked(rig.top, "long", 99999))).size())
        .isEqualTo(99999);
    client.mkdir(rig.top, "d");
    assertThat(unchecked(rig.top, "d", -1).u32()).isEqualTo(NfsStatus.EXIST);
    int guarded =
        status(
            Nfs3Procedure.CREATE,
            w -> {
              Nfs3Client.where(w, rig.top, "f");
              w.int32(1);
              Nfs3Client.sattr(w, 0644);
            });
    assertThat(guarded).isEqualTo(NfsStatus.EXIST);
    int noMode =
        client
            .reply(
                Nfs3Procedure.CREATE,
                w -> {
                  Nfs3Client.where(w, rig.top, "x");
                  w.int32(3);
                })
            .status();
    assertThat(noMode).isEqualTo(RpcRefusal.GARBAGE_ARGUMENTS);
  }

  @Test
  void exclusiveCreationIsKeptOnTheImage() throws IOException {
    long verifier = 0x8123_4567_89AB_CDEFL;
    byte[] file = Nfs3Client.made(exclusive(rig.top, "f", verifier));
    assertThat(Nfs3Client.made(exclusive(rig.top, "f", verifier))).isEqualTo(file);
    assertThat(exclusive(rig.top, "f", verifier ^ 1).u32()).isEqualTo(NfsStatus.EXIST);
    try (Nfs3Rig next = Nfs3Rig.over(rig.device.killed())) {
      Wire again =
          next.root.call(
              Nfs3Procedure.CREATE,
              w -> {
                Nfs3Client.where(w, next.top, "f");
                w.int32(2).int64(verifier);
              });
      assertThat(Nfs3Client.made(again)).isEqualTo(file);
    }
    client.chmod(file, 0600);
    client.write(file, 0, "x");
    assertThat(exclusive(rig.top, "f", verifier).u32()).isEqualTo(NfsStatus.EXIST);
  }

  @Test
  void namesThatAreNone() {
    String[] names = {"", "a/b", "a\0", ".", "..", "x".repeat(256)};
    int[] making = {
      NfsStatus.ACCES,
      NfsStatus.ACCES,
      NfsStatus.ACCES,
      NfsStatus.EXIST,
      NfsStatus.EXIST,
      NfsStatus.NAMETOOLONG
    };
    byte[] file = client.create(rig.top, "f");
    for (int i = 0; i < names.length; i++) {
      String name = names[i];
      assertThat(mkdirStatus(rig.top, name)).as("MKDIR " + name).isEqualTo(making[i]);
      assertThat(client.link(file, rig.top, name)).as("LINK " + name).isEqualTo(making[i]);
      boolean dots = name.equals(".") || name.equals("..");
      assertThat(client.remove(rig.top, name))
          .as("REMOVE " + name)
          .isEqualTo(dots ? NfsStatus.ACCES : making[i]);
      assertThat(client.rename(rig.top, "f", rig.top, name))
          .isEqualTo(dots ? NfsStatus.INVAL : making[i]);
      assertThat(client.rename(rig.top, name, rig.top, "g"))
          .isEqualTo(dots ? NfsStatus.INVAL : making[i]);
    }
    assertThat(client.rmdir(rig.top, ".")).isEqualTo(NfsStatus.INVAL);
    assertThat(client.rmdir(rig.top, "..")).isEqualTo(NfsStatus.EXIST);
    String odd = "\n\t\\\"*?" + "\u00ff".repeat(100) + "é x";
    byte[] made = client.create(rig.top, odd);
    assertThat(client.lookup(rig.top, odd)).isEqualTo(made);
    assertThat(client.create(rig.top, "y".repeat(255))).isNotEmpty();
  }

  @Test
  void directories() {
    byte[] directory = client.mkdir(rig.top, "d");
    assertThat(mkdirStatus(rig.top, "d")).isEqualTo(NfsStatus.EXIST);
    byte[] file = client.create(directory, "f");
    assertThat(mkdirStatus(file, "x")).isEqualTo(NfsStatus.NOTDIR);
    assertThat(client.rmdir(rig.top, "d")).isEqualTo(NfsStatus.NOTEMPTY);
    assertThat(client.remove(rig.top, "d")).isEqualTo(NfsStatus.ISDIR);
    assertThat(client.rmdir(directory, "f")).isEqualTo(NfsStatus.NOTDIR);
    assertThat(client.remove(directory, "absent")).isEqualTo(NfsStatus.NOENT);
    assertThat(client.remove(directory, "f")).isZero();
    assertThat(client.rmdir(rig.top, "d")).isZero();
    assertThat(mkdirStatus(directory, "x")).isEqualTo(NfsStatus.STALE);
    client.calls.as(7, 7);
    assertThat(mkdirStatus(rig.top, "mine")).isEqualTo(NfsStatus.ACCES);
  }

  @Test
  void linksAndRenames() {
    byte[] file = client.create(rig.top, "f");
    byte[] directory = client.mkdir(rig.top, "d");
    assertThat(client.link(file, directory, "g")).isZero();
    assertThat(client.attributes(file).links()).isEqualTo(2);
    assertThat(client.link(file, directory, "g")).isEqualTo(NfsStatus.EXIST);
    assertThat(client.link(directory, rig.top, "h")).isEqualTo(NfsStatus.PERM);
    assertThat(client.rename(rig.top, "d", directory, "x")).isEqualTo(NfsStatus.INVAL);
    assertThat(client.rename(rig.top, "absent", directory, "x")).isEqualTo(NfsStatus.NOENT);
    assertThat(client.rename(rig.top, "f", rig.top, "d")).isEqualTo(NfsStatus.ISDIR);
    assertThat(client.rename(rig.top, "d", rig.top, "f")).isEqualTo(NfsStatus.NOTDIR);
    byte[] other = client.create(rig.top, "other");
    assertThat(client.rename(rig.top, "other", directory, "g")).isZero();
    assertThat(client.lookup(directory, "g")).isEqualTo(other);
    assertThat(client.attributes(file).links()).isEqualTo(1);
    assertThat(client.rename(rig.top, "f", rig.top, "f")).isZero();
    byte[] big = client.create(rig.top, "big");
    assertThat(client.write(big, 0, new byte[1 << 20], 0).count()).isEqualTo(1 << 20);
    assertThat(client.rename(rig.top, "f", rig.top, "big")).isZero();
    assertThat(client.getattrStatus(big)).isEqualTo(NfsStatus.STALE);
  }

  @Test
  void specialFiles() {
    int[] types = {3, 4, 6, 7};
    for (int type : types) {
      boolean device = type < 5;
      Consumer<XdrWriter> arguments =
          w -> {
            Nfs3Client.where(w, rig.top, "special" + type);
            w.int32(type);
            Nfs3Client.sattr(w, 0640);
            if (device) {
              w.int32(300).int32(70000);
            }
          };
      byte[] made = Nfs3Client.made(client.call(Nfs3Procedure.MKNOD, arguments));
      Wire.Attributes a = client.attributes(made);
      assertThat(a.type()).isEqualTo(type);
      assertThat(a.mode()).isEqualTo(0640);
      assertThat(a.major()).isEqualTo(device ? 300 : 0);
      assertThat(a.minor()).isEqualTo(device ? 70000 : 0);
      assertThat(client.write(made, 0, new byte[1], 0).status()).isEqualTo(NfsStatus.INVAL);
      client.calls.as(7, 7);
      assertThat(client.chmod(rig.top, 0777)).isEqualTo(NfsStatus.PERM);
      client.calls.as(0, 0);
    }
    for (int type : new int[] {0, 1, 2, 5, 8, -1}) {
      int status =
          status(
              Nfs3Procedure.MKNOD,
              w -> {
                Nfs3Client.where(w, rig.top, "none");
                w.int32(type);
              });
      assertThat(status).isEqualTo(NfsStatus.BADTYPE);
    }
    client.chmod(rig.top, 0777);
    client.calls.as(7, 7);
    int notRoot =
        status(
            Nfs3Procedure.MKNOD,
            w -> {
              Nfs3Client.where(w, rig.top, "null");
              w.int32(4);
              Nfs3Client.sattr(w, 0666);
              w.int32(1).int32(3);
            });
    assertThat(notRoot).isEqualTo(NfsStatus.PERM);
  }

  @Test
  void setattr() {
    byte[] file = client.create(rig.top, "f");
    client.write(file, 0, "content");
    assertThat(client.truncate(file, 3)).isZero();
    assertThat(client.read(file, 0, 10)).isEqualTo(Nfs3Client.name("con"));
    assertThat(client.truncate(file, 1 << 20)).isZero();
    assertThat(client.attributes(file).size()).isEqualTo(1 << 20);
    assertThat(client.truncate(file, -1)).isEqualTo(NfsStatus.FBIG);
    assertThat(client.truncate(rig.top, 0)).isEqualTo(NfsStatus.INVAL);
    Consumer<XdrWriter> all =
        w -> {
          w.opaque(file).bool(true).int32(0604).bool(true).int32(7).bool(true).int32(8);
          w.bool(true).int64(10).int32(2).int32(1000).int32(999_999_999);
          w.int32(2).int32(-1).int32(1).bool(false);
        };
    assertThat(Nfs3Client.wccStatus(client.call(Nfs3Procedure.SETATTR, all))).isZero();
    Wire.Attributes a = client.attributes(file);
    assertThat(a.mode()).isEqualTo(0604);
    assertThat(a.uid()).isEqualTo(7);
    assertThat(a.gid()).isEqualTo(8);
    assertThat(a.size()).isEqualTo(10);
    assertThat(a.atime()).isEqualTo(1_000_999_999_999L);
    assertThat(a.mtime()).isEqualTo(0xFFFF_FFFFL * 1_000_000_000L + 1);
    client.calls.as(9, 9);
    assertThat(client.chmod(file, 0777)).isEqualTo(NfsStatus.PERM);
    assertThat(client.truncate(file, 0)).isEqualTo(NfsStatus.ACCES);
    client.calls.as(7, 9);
    assertThat(client.chmod(file, 0)).isZero();
    // The owner may have opened the file before its mode changed.
    assertThat(client.truncate(file, 5)).isZero();
  }

  private int guarded(byte[] file, long ctime) {
    return Nfs3Client.wccStatus(
        client.call(
            Nfs3Procedure.SETATTR,
            w -> {
              w.opaque(file);
              Nfs3Client.sattr(w, 0600);
              w.bool(true);
              w.int32((int) (ctime / 1_000_000_000L)).int32((int) (ctime % 1_000_000_000L));
            }));
  }

  @Test
  void guard() {
    byte[] file = client.create(rig.top, "f");
    long ctime = client.attributes(file).ctime();
    assertThat(guarded(file, ctime + 1)).isEqualTo(NfsStatus.NOT_SYNC);
    assertThat(guarded(file, ctime)).isZero();
  }

  @Test
  void write() throws IOException {
    byte[] file = client.create(rig.top, "f");
    long verifier = 0;
    for (int stable = 0; stable <= 2; stable++) {
      Nfs3Client.Written written = client.write(file, stable * 10L, new byte[10], stable);
      assertThat(written.count()).isEqualTo(10);
      assertThat(written.committed()).isEqualTo(stable);
      assertThat(verifier == 0 || verifier == written.verifier()).isTrue();
      verifier = written.verifier();
    }
    assertThat(client.write(file, 5, new byte[0], 2).status()).isZero();
    assertThat(client.write(file, -1, new byte[1], 2).status()).isEqualTo(NfsStatus.FBIG);
    assertThat(client.write(file, Long.MAX_VALUE, new byte[1], 2).status())
        .isEqualTo(NfsStatus.FBIG);
    assertThat(client.write(rig.top, 0, new byte[1], 2).status()).isEqualTo(NfsStatus.INVAL);
    int mismatch =
        Nfs3Client.wccStatus(
            client.call(
                Nfs3Procedure.WRITE,
                w -> w.opaque(file).int64(0).int32(5).int32(0).opaque(new byte[4])));
    assertThat(mismatch).isEqualTo(NfsStatus.INVAL);
    Wire commit = client.call(Nfs3Procedure.COMMIT, w -> w.opaque(file).int64(0).int32(0));
    assertThat(commit.u32()).isZero();
    Wire.Wcc wcc = commit.wcc();
    assertThat(wcc.before()).isNotNull();
    assertThat(commit.u64()).isEqualTo(verifier);
    commit.end();
    Wire refused = client.call(Nfs3Procedure.COMMIT, w -> w.opaque(rig.top).int64(0).int32(0));
    assertThat(Nfs3Client.wccStatus(refused)).isEqualTo(NfsStatus.INVAL);
    try (Nfs3Rig next = Nfs3Rig.over(rig.device.killed())) {
      Nfs3Client.Written later = next.root.write(file, 0, new byte[1], 0);
      assertThat(later.verifier()).isNotEqualTo(verifier);
    }
  }

  @Test
  void contentOfAnotherUserEndsSetIdBits() {
    byte[] file = client.create(rig.top, "program");
    for (boolean cut : new boolean[] {false, true}) {
      for (int user : new int[] {7, 0}) {
        assertThat(client.chmod(file, 06777)).isZero();
        client.calls.as(user, user);
        int status =
            cut ? client.truncate(file, 5) : client.write(file, 0, new byte[10], 2).status();
        assertThat(status).isZero();
        client.calls.as(0, 0);
        assertThat(client.attributes(file).mode()).isEqualTo(user == 0 ? 06777 : 0777);
      }
    }
  }

  @Test
  void attributesBeforeAndAfterBelongToTheChange() {
    byte[] directory = client.mkdir(rig.top, "d");
    Wire.Attributes known = client.attributes(directory);
    for (int i = 0; i < 20; i++) {
      String name = "f" + i;
      Wire answer =
          client.call(
              Nfs3Procedure.MKDIR,
              w -> {
                Nfs3Client.where(w, directory, name);
                Nfs3Client.sattr(w, 0755);
              });
      assertThat(answer.u32()).isZero();
      answer.postOpHandle();
      answer.postOp();
      known = follows(answer.wcc(), known);
      Wire removed = client.call(Nfs3Procedure.RMDIR, w -> Nfs3Client.where(w, directory, name));
      assertThat(removed.u32()).isZero();
      known = follows(removed.wcc(), known);
      Wire refused = client.call(Nfs3Procedure.RMDIR, w -> Nfs3Client.where(w, directory, name));
      assertThat(refused.u32()).isEqualTo(NfsStatus.NOENT);
      known = follows(refused.wcc(), known);
    }
  }

  private static Wire.Attributes follows(Wire.Wcc wcc, Wire.Attributes known) {
    assertThat(wcc.before()).isEqualTo(new Wire.Before(known.size(), known.mtime(), known.ctime()));
    Wire.Attributes after = wcc.after();
    assertThat(after).isNotNull();
    return after == null ? known : after;
  }

  @Test
  void readOnlyExports() throws IOException {
    byte[] file = client.create(rig.top, "f");
    rig.exports.add("/ro", rig.tree, "/", ExportOptions.defaults().withReadOnly(true));
    byte[] top = client.mount("/ro");
    assertThat(mkdirStatus(top, "d")).isEqualTo(NfsStatus.ROFS);
    byte[] same = client.lookup(top, "f");
    assertThat(same).isNotEqualTo(file);
    assertThat(client.write(same, 0, new byte[1], 2).status()).isEqualTo(NfsStatus.ROFS);
    assertThat(client.chmod(same, 0)).isEqualTo(NfsStatus.ROFS);
    assertThat(client.rename(top, "f", top, "g")).isEqualTo(NfsStatus.ROFS);
    assertThat(client.link(same, top, "g")).isEqualTo(NfsStatus.ROFS);
    Wire access = client.call(Nfs3Procedure.ACCESS, w -> w.opaque(top).int32(0x3F));
    assertThat(access.u32()).isZero();
    access.postOp();
    assertThat(access.u32()).isEqualTo(0x03);
  }
}
