package sluice.nfs.v3;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.fs.Caller;
import sluice.fs.NewFile;
import sluice.nfs.export.FileHandles;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.rpc.RpcTestCalls;
import sluice.nfs.rpc.Wire;

/// Tests READDIR and READDIRPLUS: limits, cookies, and listings during changes.
@Timeout(120)
final class Nfs3ListingTest {
  private final Nfs3Rig rig = Nfs3Rig.journaled();
  private final Nfs3Client client = rig.root;

  Nfs3ListingTest() throws IOException {}

  @AfterEach
  void close() throws IOException {
    rig.close();
  }

  /// A page of a listing.
  ///
  /// @param next the cookie to continue with
  private record Page(int status, long next, long verifier, boolean end, int bytes) {}

  private Page page(
      byte[] directory, boolean plus, Page before, int count, Map<String, Long> into) {
    Nfs3Procedure procedure = plus ? Nfs3Procedure.READDIRPLUS : Nfs3Procedure.READDIR;
    RpcTestCalls.Reply reply =
        client.reply(
            procedure,
            w -> {
              w.opaque(directory).int64(before.next).int64(before.verifier);
              if (plus) {
                w.int32(count);
              }
              w.int32(count);
            });
    Wire answer = new Wire(reply.bytes(), 24);
    int status = answer.u32();
    Wire.Attributes now = answer.postOp();
    if (status != 0) {
      answer.end();
      return new Page(status, 0, 0, false, 0);
    }
    assertThat(now).isNotNull();
    long verifier = answer.u64();
    long cookie = before.next;
    while (answer.bool()) {
      long fileid = answer.u64();
      String name = new String(answer.opaque(), StandardCharsets.UTF_8);
      cookie = answer.u64();
      if (plus) {
        Wire.Attributes a = answer.postOp();
        byte[] handle = answer.postOpHandle();
        assertThat(a).isNotNull();
        assertThat(a == null ? 0 : a.fileid()).isEqualTo(fileid);
        assertThat(handle).hasSize(FileHandles.BYTES);
      }
      assertThat(into.put(name, fileid)).as(name).isNull();
    }
    boolean end = answer.bool();
    answer.end();
    return new Page(0, cookie, verifier, end, reply.bytes().length - 24);
  }

  private Map<String, Long> list(byte[] directory, boolean plus, int count) {
    Map<String, Long> all = new LinkedHashMap<>();
    Page page = new Page(0, 0, 0, false, 0);
    while (!page.end) {
      int before = all.size();
      page = page(directory, plus, page, count, all);
      assertThat(page.status).isZero();
      assertThat(page.bytes).isLessThanOrEqualTo(count);
      assertThat(page.end || all.size() > before).isTrue();
    }
    return all;
  }

  private void fill(byte[] directory, int count) throws IOException {
    long inode = rig.tree.rootInode();
    inode = rig.tree.lookup(Caller.ROOT, inode, Nfs3Client.name("d"));
    for (int i = 0; i < count; i++) {
      byte[] name = Nfs3Client.name("file" + i);
      rig.tree.create(Caller.ROOT, inode, name, NewFile.regular(0644));
    }
    assertThat(client.attributes(directory).fileid()).isEqualTo(inode);
  }

  @Test
  void listsEverythingOnceWhateverTheBounds() throws IOException {
    byte[] directory = client.mkdir(rig.top, "d");
    fill(directory, 500);
    for (int count : new int[] {400, 1000, 4096, 65536, 1 << 30, -1}) {
      for (boolean plus : new boolean[] {false, true}) {
        Map<String, Long> all = list(directory, plus, count < 0 ? Integer.MAX_VALUE : count);
        assertThat(all).hasSize(502).containsKeys(".", "..", "file0", "file499");
        assertThat(all.get("..")).isEqualTo(client.attributes(rig.top).fileid());
      }
    }
    Map<String, Long> top = list(rig.top, true, 4096);
    assertThat(top).doesNotContainKey(".sluice").containsKeys("d", "lost+found");
    assertThat(top.get("..")).isEqualTo(top.get("."));
  }

  @Test
  void refusals() throws IOException {
    byte[] directory = client.mkdir(rig.top, "d");
    fill(directory, 50);
    Map<String, Long> none = new LinkedHashMap<>();
    Page begin = new Page(0, 0, 0, false, 0);
    for (boolean plus : new boolean[] {false, true}) {
      assertThat(page(directory, plus, begin, 100, none).status).isEqualTo(NfsStatus.TOOSMALL);
      Page wrong = new Page(0, 24, 1, false, 0);
      assertThat(page(directory, plus, wrong, 4096, none).status).isEqualTo(NfsStatus.BAD_COOKIE);
      Page negative = new Page(0, -5, 1, false, 0);
      assertThat(page(directory, plus, negative, 4096, none).status)
          .isEqualTo(NfsStatus.BAD_COOKIE);
      byte[] file = client.lookup(directory, "file1");
      assertThat(page(file, plus, begin, 4096, none).status).isEqualTo(NfsStatus.NOTDIR);
    }
    client.chmod(directory, 0311);
    client.calls.as(7, 7);
    assertThat(page(directory, true, begin, 4096, none).status).isEqualTo(NfsStatus.ACCES);
  }

  @Test
  void whatStaysIsListedOnceWhileOthersComeAndGo() throws IOException {
    byte[] directory = client.mkdir(rig.top, "d");
    fill(directory, 400);
    Random random = new Random(5);
    Map<String, Long> all = new LinkedHashMap<>();
    Page page = new Page(0, 0, 0, false, 0);
    for (int i = 0; !page.end; i++) {
      page = page(directory, i % 2 == 0, page, 1500, all);
      client.remove(directory, "file" + (2 * random.nextInt(200) + 1));
      assertThat(client.create(directory, "new" + i)).isNotEmpty();
    }
    for (int i = 0; i < 400; i += 2) {
      assertThat(all).containsKey("file" + i);
    }
  }

  @Test
  void cookiesSurviveARestart() throws IOException {
    byte[] directory = client.mkdir(rig.top, "d");
    fill(directory, 100);
    Map<String, Long> all = new LinkedHashMap<>();
    Page page = page(directory, false, new Page(0, 0, 0, false, 0), 1000, all);
    rig.tree.sync();
    try (Nfs3Rig next = Nfs3Rig.over(rig.device.killed())) {
      Wire answer =
          next.root.call(
              Nfs3Procedure.READDIR,
              w -> w.opaque(directory).int64(page.next).int64(page.verifier).int32(65536));
      assertThat(answer.u32()).isZero();
      answer.postOp();
      assertThat(answer.u64()).isEqualTo(page.verifier);
      while (answer.bool()) {
        long fileid = answer.u64();
        all.put(new String(answer.opaque(), StandardCharsets.UTF_8), fileid);
        answer.u64();
      }
      assertThat(all).hasSize(102);
    }
  }

  @Test
  void manyNames() throws IOException {
    byte[] directory = client.mkdir(rig.top, "d");
    fill(directory, 20_000);
    for (int round = 0; round < 2; round++) {
      long start = System.nanoTime();
      assertThat(list(directory, true, 256 << 10)).hasSize(20_002);
      System.out.printf(
          "20000 names with attributes: %d ms%n", (System.nanoTime() - start) / 1_000_000);
    }
  }
}
