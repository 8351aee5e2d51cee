package sluice.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.nfs.v4.Nfs4TestClient.bytes;
import static sluice.nfs.v4.Nfs4TestClient.existing;
import static sluice.nfs.v4.Nfs4TestClient.getAttr;
import static sluice.nfs.v4.Nfs4TestClient.lookup;
import static sluice.nfs.v4.Nfs4TestClient.mkdir;
import static sluice.nfs.v4.Nfs4TestClient.named;
import static sluice.nfs.v4.Nfs4TestClient.open;
import static sluice.nfs.v4.Nfs4TestClient.plain;
import static sluice.nfs.v4.Nfs4TestClient.putFh;
import static sluice.nfs.v4.Nfs4TestClient.read;
import static sluice.nfs.v4.Nfs4TestClient.readDir;
import static sluice.nfs.v4.Nfs4TestClient.setMode;
import static sluice.nfs.v4.Nfs4TestClient.setSize;
import static sluice.nfs.v4.Nfs4TestClient.unchecked;
import static sluice.nfs.v4.Nfs4TestClient.write;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.fs.Caller;
import sluice.fs.NewFile;
import sluice.nfs.ExportOptions;
import sluice.nfs.export.Exports;
import sluice.nfs.export.FileHandles;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.rpc.RpcTestCalls;
import sluice.nfs.rpc.XdrReader;
import sluice.nfs.rpc.XdrWriter;
import sluice.nfs.v4.Nfs4TestClient.Op;
import sluice.nfs.v4.Nfs4TestClient.Opened;
import sluice.nfs.v4.Nfs4TestClient.Reply;
import sluice.nfs.v4.wire.Bitmap;
import sluice.nfs.v4.wire.Nfs4Attribute;
import sluice.nfs.v4.wire.Nfs4Op;
import sluice.nfs.v4.wire.Nfs4Status;

/// Tests names, attributes and content through COMPOUNDs.
@Timeout(120)
final class Nfs4FileTest {
  private Nfs4Rig rig;
  private Nfs4TestClient client;
  private byte[] data;

  @BeforeEach
  void start() throws IOException {
    rig = new Nfs4Rig();
    client = rig.client("one");
    data = client.handle("srv", "data");
  }

  @AfterEach
  void end() throws IOException {
    rig.close();
  }

  private Opened file(String name) {
    return client.open(data, open("o", 3, 0, unchecked(0644), name));
  }

  // ---- the name space ---------------------------------------------------------------------------

  @Test
  void theNameSpaceLeadsToTheExports() {
    byte[] root = client.handle();
    byte[] srv = client.handle("srv");
    assertThat(names(root)).containsExactly("srv");
    assertThat(names(srv)).containsExactly("data");
    assertThat(client.statusOn(srv, mkdir("x", 0755))).isEqualTo(NfsStatus.ROFS);
    assertThat(client.statusOn(srv, lookup("nothing"))).isEqualTo(NfsStatus.NOENT);
    assertThat(client.statusOn(root, plain(Nfs4Op.LOOKUPP))).isEqualTo(NfsStatus.NOENT);
    Op handle = plain(Nfs4Op.GETFH);
    Reply up = client.run(putFh(data), plain(Nfs4Op.LOOKUPP), handle);
    assertThat(up.plain(Nfs4Op.PUTFH, Nfs4Op.LOOKUPP).ok(Nfs4Op.GETFH).opaque(128)).isEqualTo(srv);
    int[] asked = {Nfs4Attribute.FSID, Nfs4Attribute.FILEID, Nfs4Attribute.MOUNTED_ON_FILEID};
    XdrReader above = attributes(srv, asked);
    assertThat(above.int64()).isZero();
    above.skip(8);
    XdrReader below = attributes(data, asked);
    assertThat(below.int64()).isEqualTo(rig.tree.status().id());
    below.skip(8);
    assertThat(below.int64()).isEqualTo(2);
    assertThat(below.int64()).isNotEqualTo(2);
  }

  @Test
  void anExportOfAllIsTheRoot() throws IOException {
    Exports exports = new Exports();
    exports.add("/", rig.tree, "/", ExportOptions.defaults().withReadOnly(true));
    FileHandles handles = new FileHandles(exports);
    Nfs4Program program =
        new Nfs4Program(
            exports, handles, 1, StableClients.NONE, Nfs4Limits.defaults(), System::nanoTime);
    try (RpcTestCalls calls = new RpcTestCalls(program)) {
      Nfs4TestClient other = new Nfs4TestClient(calls, "other");
      other.connect();
      other.reclaimComplete();
      byte[] root = other.handle();
      assertThat(root).hasSize(FileHandles.BYTES);
      assertThat(other.statusOn(root, plain(Nfs4Op.LOOKUPP))).isEqualTo(NfsStatus.NOENT);
      assertThat(other.statusOn(root, mkdir("x", 0755))).isEqualTo(NfsStatus.ROFS);
      Op make = open("o", 3, 0, unchecked(0644), "new");
      assertThat(other.statusOn(root, make)).isEqualTo(NfsStatus.ROFS);
      file("there");
      Op look = open("o", 1, 0, unchecked(0644), "there");
      assertThat(other.statusOn(root, look)).isZero();
    }
    exports.close();
  }

  private XdrReader attributes(byte[] file, int... numbers) {
    Reply reply = client.run(putFh(file), getAttr(numbers)).plain(Nfs4Op.PUTFH);
    XdrReader in = reply.ok(Nfs4Op.GETATTR);
    assertThat(Bitmap.read(in)).isEqualTo(Bitmap.of(numbers));
    in.length(1 << 16);
    return in;
  }

  /// Returns the names in a directory, with one character per byte.
  private Set<String> names(byte[] directory) {
    Set<String> names = new HashSet<>();
    long cookie = 0;
    boolean end = false;
    while (!end) {
      Op list = readDir(cookie, 700, Nfs4Attribute.RDATTR_ERROR, Nfs4Attribute.TYPE);
      XdrReader in = client.run(putFh(directory), list).plain(Nfs4Op.PUTFH).ok(Nfs4Op.READDIR);
      in.int64();
      while (in.bool()) {
        cookie = in.int64();
        assertThat(cookie).isGreaterThan(2);
        assertThat(names.add(new String(in.opaque(255), StandardCharsets.ISO_8859_1))).isTrue();
        Bitmap.read(in);
        in.skip(in.length(1000));
      }
      end = in.bool();
    }
    return names;
  }

  /// RFC 8881, section 14.4, requires UTF-8, but Linux clients send arbitrary bytes.
  @Test
  void namesAreBytes() throws IOException {
    byte[] one = {'n', (byte) 0xE4};
    byte[] two = {'n', (byte) 0xFF, 1, '\n'};
    Op make =
        to -> {
          // A symbolic link to the other name.
          to.int32(Nfs4Op.CREATE).int32(5).opaque(one).opaque(two);
          Bitmap.of().write(to);
          to.int32(0);
        };
    long root = rig.tree.rootInode();
    long inode = rig.tree.create(Caller.ROOT, root, one, NewFile.directory(0777));
    assertThat(client.statusOn(data, make)).isZero();
    assertThat(client.statusOn(data, to -> to.int32(Nfs4Op.LOOKUP).opaque(one))).isZero();
    assertThat(rig.tree.lookup(Caller.ROOT, root, one)).isEqualTo(inode);
    assertThat(rig.tree.readLink(rig.tree.lookup(Caller.ROOT, root, two))).isEqualTo(one);
    assertThat(names(data)).contains("n\u00E4", "n\u00FF\u0001\n");
  }

  @Test
  void directoriesAreListedInPieces() {
    Set<String> made = new HashSet<>();
    for (int i = 0; i < 300; i++) {
      String name = "a name of some length " + i;
      assertThat(client.statusOn(data, mkdir(name, 0755))).isZero();
      made.add(name);
    }
    made.add("lost+found");
    Set<String> listed = names(data);
    listed.add("lost+found");
    assertThat(listed).isEqualTo(made);
    assertThat(client.statusOn(data, readDir(1, 700))).isEqualTo(NfsStatus.BAD_COOKIE);
    assertThat(client.statusOn(data, readDir(0, 20))).isEqualTo(NfsStatus.TOOSMALL);
    byte[] file = file("f").handle();
    assertThat(client.statusOn(file, readDir(0, 700))).isEqualTo(NfsStatus.NOTDIR);
  }

  @Test
  void badNamesAreRefused() {
    assertThat(client.statusOn(data, mkdir("", 0755))).isEqualTo(NfsStatus.INVAL);
    assertThat(client.statusOn(data, mkdir("..", 0755))).isEqualTo(Nfs4Status.BADNAME);
    assertThat(client.statusOn(data, mkdir("a/b", 0755))).isEqualTo(Nfs4Status.BADNAME);
    assertThat(client.statusOn(data, mkdir("x".repeat(256), 0755)))
        .isEqualTo(NfsStatus.NAMETOOLONG);
    assertThat(client.statusOn(data, lookup(".sluice"))).isEqualTo(NfsStatus.NOENT);
    assertThat(client.statusOn(data, mkdir(".sluice", 0755))).isEqualTo(NfsStatus.ACCES);
    assertThat(client.statusOn(data, named(Nfs4Op.REMOVE, ".sluice"))).isEqualTo(NfsStatus.NOENT);
  }

  @Test
  void namesAreMadeMovedAndRemoved() {
    assertThat(client.statusOn(data, mkdir("d", 0755))).isZero();
    byte[] directory = client.handle("srv", "data", "d");
    byte[] file = file("f").handle();
    Op save = plain(Nfs4Op.SAVEFH);
    Op link = named(Nfs4Op.LINK, "g");
    assertThat(client.statusOn(file, save, putFh(directory), link)).isZero();
    Op rename = to -> to.int32(Nfs4Op.RENAME).opaque(bytes("g")).opaque(bytes("h"));
    assertThat(client.statusOn(directory, save, putFh(data), rename)).isZero();
    assertThat(client.handle("srv", "data", "h")).isEqualTo(file);
    assertThat(client.statusOn(data, named(Nfs4Op.REMOVE, "h"))).isZero();
    assertThat(client.statusOn(data, named(Nfs4Op.REMOVE, "d"))).isZero();
    assertThat(client.statusOn(data, named(Nfs4Op.REMOVE, "d"))).isEqualTo(NfsStatus.NOENT);
    assertThat(client.statusOn(directory, getAttr(1))).isEqualTo(NfsStatus.STALE);
    assertThat(client.statusOn(file, save, putFh(directory))).isEqualTo(NfsStatus.STALE);
    assertThat(client.status(putFh(data), link)).isEqualTo(Nfs4Status.NOFILEHANDLE);
    assertThat(client.statusOn(file, lookup("x"))).isEqualTo(NfsStatus.NOTDIR);
  }

  @Test
  void everyKindIsMade() {
    Op symlink =
        to -> {
          to.int32(Nfs4Op.CREATE).int32(5).opaque(bytes("to here")).opaque(bytes("link"));
          to.int32(0).int32(0);
        };
    Op device =
        to -> {
          to.int32(Nfs4Op.CREATE).int32(4).int32(5).int32(9).opaque(bytes("tty"));
          to.int32(0).int32(0);
        };
    Op fifo = to -> to.int32(Nfs4Op.CREATE).int32(7).opaque(bytes("fifo")).int32(0).int32(0);
    Op regular = to -> to.int32(Nfs4Op.CREATE).int32(1).opaque(bytes("no")).int32(0).int32(0);
    assertThat(client.statusOn(data, symlink)).isZero();
    assertThat(client.statusOn(data, device)).isZero();
    assertThat(client.statusOn(data, fifo)).isZero();
    assertThat(client.statusOn(data, regular)).isEqualTo(NfsStatus.BADTYPE);
    byte[] link = client.handle("srv", "data", "link");
    Reply target = client.run(putFh(link), plain(Nfs4Op.READLINK)).plain(Nfs4Op.PUTFH);
    assertThat(target.ok(Nfs4Op.READLINK).opaque(100)).isEqualTo(bytes("to here"));
    XdrReader tty =
        attributes(client.handle("srv", "data", "tty"), Nfs4Attribute.TYPE, Nfs4Attribute.RAWDEV);
    assertThat(tty.int32()).isEqualTo(4);
    assertThat(tty.int32()).isEqualTo(5);
    assertThat(tty.int32()).isEqualTo(9);
    assertThat(client.statusOn(link, lookup("x"))).isEqualTo(Nfs4Status.SYMLINK);
    assertThat(client.statusOn(data, open("o", 1, 0, existing(), "link")))
        .isEqualTo(Nfs4Status.SYMLINK);
    assertThat(client.statusOn(data, open("o", 1, 0, existing(), "fifo")))
        .isEqualTo(Nfs4Status.WRONG_TYPE);
  }

  // ---- attributes -------------------------------------------------------------------------------

  @Test
  void allSupportedAttributesAreWritten() {
    Opened file = file("f");
    for (byte[] handle : new byte[][] {data, file.handle(), client.handle("srv")}) {
      for (int number = 0; number < 96; number++) {
        boolean can = Nfs4Attribute.SUPPORTED.has(number) && !Nfs4Attribute.WRITE_ONLY.has(number);
        Reply reply = client.run(putFh(handle), getAttr(number)).plain(Nfs4Op.PUTFH);
        if (Nfs4Attribute.WRITE_ONLY.has(number)) {
          assertThat(reply.status).isEqualTo(NfsStatus.INVAL);
          continue;
        }
        XdrReader in = reply.ok(Nfs4Op.GETATTR);
        Bitmap given = Bitmap.read(in);
        boolean unknown = number == Nfs4Attribute.TIME_CREATE && given.isEmpty();
        assertThat(given.has(number)).as("%d", number).isEqualTo(can && !unknown);
        in.skip(in.length(1000));
        assertThat(in.remaining()).isZero();
      }
    }
  }

  @Test
  void attributesAreSetAndVerified() {
    byte[] file = file("f").handle();
    long before = change(file);
    assertThat(client.statusOn(file, setMode(0600))).isZero();
    long after = change(file);
    assertThat(after).isGreaterThan(before);
    assertThat(client.statusOn(file, setMode(0601), setMode(0600))).isZero();
    assertThat(change(file)).isGreaterThan(after);
    assertThat(attributes(file, Nfs4Attribute.MODE).int32()).isEqualTo(0600);
    Op same =
        to -> {
          to.int32(Nfs4Op.VERIFY);
          Bitmap.of(Nfs4Attribute.MODE).write(to);
          to.int32(4).int32(0600);
        };
    Op different =
        to -> {
          to.int32(Nfs4Op.NVERIFY);
          Bitmap.of(Nfs4Attribute.MODE).write(to);
          to.int32(4).int32(0600);
        };
    assertThat(client.statusOn(file, same)).isZero();
    assertThat(client.statusOn(file, different)).isEqualTo(Nfs4Status.SAME);
    assertThat(client.statusOn(file, setMode(0644), same)).isEqualTo(Nfs4Status.NOT_SAME);
  }

  private long change(byte[] file) {
    return attributes(file, Nfs4Attribute.CHANGE).int64();
  }

  private static Op set(int number, Op value) {
    return to -> {
      to.int32(Nfs4Op.SETATTR);
      StateId.ANONYMOUS.write(to);
      Bitmap.of(number).write(to);
      XdrWriter body = new XdrWriter(1000);
      value.write(body);
      to.opaque(body.toBytes());
    };
  }

  @Test
  void whatCannotBeSetIsRefused() {
    byte[] file = file("f").handle();
    Op number = to -> to.int32(1);
    assertThat(client.statusOn(file, set(Nfs4Attribute.TYPE, number))).isEqualTo(NfsStatus.INVAL);
    assertThat(client.statusOn(file, set(12, number))).isEqualTo(Nfs4Status.ATTRNOTSUPP);
    assertThat(client.statusOn(file, set(Nfs4Attribute.MODE, to -> to.int64(1))))
        .isEqualTo(Nfs4Status.BADXDR);
    assertThat(client.statusOn(file, set(Nfs4Attribute.MODE, to -> to.int32(0x10000))))
        .isEqualTo(NfsStatus.INVAL);
    Op owner = set(Nfs4Attribute.OWNER, to -> to.opaque(bytes("somebody@somewhere")));
    assertThat(client.statusOn(file, owner)).isEqualTo(Nfs4Status.BADOWNER);
    assertThat(client.statusOn(file, set(Nfs4Attribute.OWNER, to -> to.opaque(bytes("1234")))))
        .isZero();
    XdrReader is = attributes(file, Nfs4Attribute.OWNER);
    assertThat(is.opaque(20)).isEqualTo(bytes("1234"));
    Op late = set(Nfs4Attribute.TIME_MODIFY_SET, to -> to.int32(1).int64(12345).int32(678));
    assertThat(client.statusOn(file, late)).isZero();
    XdrReader time = attributes(file, Nfs4Attribute.TIME_MODIFY);
    assertThat(time.int64()).isEqualTo(12345);
    assertThat(time.int32()).isEqualTo(678);
    Op never = set(Nfs4Attribute.TIME_MODIFY_SET, to -> to.int32(1).int64(1).int32(1_000_000_000));
    assertThat(client.statusOn(file, never)).isEqualTo(NfsStatus.INVAL);
  }

  @Test
  void rightsAreThoseOfTheCaller() {
    assertThat(client.statusOn(data, mkdir("private", 0700))).isZero();
    byte[] directory = client.handle("srv", "data", "private");
    Op access = to -> to.int32(Nfs4Op.ACCESS).int32(0x3F);
    client.calls.as(1000, 1000);
    Reply reply = client.run(putFh(directory), access).plain(Nfs4Op.PUTFH);
    XdrReader in = reply.ok(Nfs4Op.ACCESS);
    assertThat(in.int32()).isEqualTo(0x1F);
    assertThat(in.int32()).isZero();
    assertThat(client.statusOn(directory, mkdir("x", 0755))).isEqualTo(NfsStatus.ACCES);
    assertThat(client.statusOn(directory, lookup("x"))).isEqualTo(NfsStatus.ACCES);
    assertThat(client.statusOn(directory, setMode(0777))).isEqualTo(NfsStatus.PERM);
    assertThat(client.statusOn(directory, readDir(0, 1000))).isEqualTo(NfsStatus.ACCES);
    client.calls.as(0, 0);
  }

  // ---- content ----------------------------------------------------------------------------------

  @Test
  void contentIsWrittenAndRead() {
    Opened file = file("f");
    byte[] content = new byte[300_000];
    new Random(1).nextBytes(content);
    Reply written = client.run(putFh(file.handle()), write(file.id(), 5, 0, content));
    XdrReader in = written.plain(Nfs4Op.PUTFH).ok(Nfs4Op.WRITE);
    assertThat(in.int32()).isEqualTo(content.length);
    in.int32();
    long verifier = in.int64();
    Op commit = to -> to.int32(Nfs4Op.COMMIT).int64(0).int32(0);
    XdrReader stable =
        client.run(putFh(file.handle()), commit).plain(Nfs4Op.PUTFH).ok(Nfs4Op.COMMIT);
    assertThat(stable.int64()).isEqualTo(verifier);
    client.cache = false;
    assertThat(client.content(file.handle(), file.id(), 5, 400_000)).isEqualTo(content);
    assertThat(client.content(file.handle(), file.id(), 0, 8))
        .isEqualTo(new byte[] {0, 0, 0, 0, 0, content[0], content[1], content[2]});
    Reply again = client.run(putFh(file.handle()), read(file.id(), 5, 400_000));
    assertThat(again.fast).isTrue();
    XdrReader read = again.plain(Nfs4Op.PUTFH).ok(Nfs4Op.READ);
    assertThat(read.bool()).isTrue();
    assertThat(read.opaque(400_000)).isEqualTo(content);
    assertThat(client.content(file.handle(), file.id(), 1 << 30, 10)).isEmpty();
    assertThat(client.statusOn(file.handle(), setSize(file.id(), 6))).isZero();
    assertThat(client.content(file.handle(), StateId.ANONYMOUS, 0, 10))
        .isEqualTo(Arrays.copyOf(new byte[] {0, 0, 0, 0, 0, content[0]}, 6));
    byte[] far = {1};
    assertThat(client.statusOn(file.handle(), write(file.id(), Long.MAX_VALUE, 0, far)))
        .isEqualTo(NfsStatus.FBIG);
    assertThat(client.statusOn(data, read(StateId.ANONYMOUS, 0, 1))).isEqualTo(NfsStatus.ISDIR);
  }

  @Test
  void contentOfAnotherUserEndsSetIdBits() {
    byte[] file = file("program").handle();
    List<Op> ways =
        List.of(write(StateId.ANONYMOUS, 0, 2, new byte[10]), setSize(StateId.ANONYMOUS, 5));
    for (Op way : ways) {
      for (int user : new int[] {7, 0}) {
        assertThat(client.statusOn(file, setMode(06777))).isZero();
        client.calls.as(user, user);
        assertThat(client.statusOn(file, way)).isZero();
        client.calls.as(0, 0);
        int left = user == 0 ? 06777 : 0777;
        assertThat(attributes(file, Nfs4Attribute.MODE).int32()).isEqualTo(left);
      }
    }
  }

  @Test
  void anAnswerThatIsToBeKeptIsSmall() {
    Opened file = file("f");
    byte[] content = new byte[100_000];
    assertThat(client.statusOn(file.handle(), write(file.id(), 0, 2, content))).isZero();
    int kept = client.content(file.handle(), file.id(), 0, 100_000).length;
    assertThat(kept).isBetween(1000, 4096);
    client.cache = false;
    assertThat(client.content(file.handle(), file.id(), 0, 100_000)).isEqualTo(content);
  }

  @Test
  void securityIsTold() {
    Op information = named(Nfs4Op.SECINFO, "data");
    Reply reply = client.run(putFh(client.handle("srv")), information, plain(Nfs4Op.GETFH));
    XdrReader in = reply.plain(Nfs4Op.PUTFH).ok(Nfs4Op.SECINFO);
    assertThat(in.int32()).isEqualTo(1);
    assertThat(in.int32()).isEqualTo(1);
    assertThat(reply.next(Nfs4Op.GETFH)).isEqualTo(Nfs4Status.NOFILEHANDLE);
    Op noName = to -> to.int32(Nfs4Op.SECINFO_NO_NAME).int32(1);
    assertThat(client.statusOn(data, noName)).isZero();
    assertThat(client.status(putFh(new byte[] {1, 2, 3}))).isEqualTo(NfsStatus.BADHANDLE);
    assertThat(client.status(putFh(new byte[16]))).isEqualTo(NfsStatus.BADHANDLE);
  }
}
