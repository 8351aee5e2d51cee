package sluice.nfs.v3;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.rpc.Wire;
import sluice.nfs.rpc.XdrWriter;

/// Tests GETATTR, LOOKUP, ACCESS, READLINK, READ, FSSTAT, FSINFO and PATHCONF: every byte of their
/// replies, on the loop's thread and on a worker.
@Timeout(120)
final class Nfs3ReadingTest {
  private final Nfs3Rig rig = Nfs3Rig.journaled();
  private final Nfs3Client client = rig.root;

  Nfs3ReadingTest() throws IOException {}

  @AfterEach
  void close() throws IOException {
    rig.close();
  }

  /// Returns true if a call was answered on the loop's thread.
  private boolean isFast(Nfs3Procedure procedure, java.util.function.Consumer<XdrWriter> with) {
    return client.reply(procedure, with).fast();
  }

  @Test
  void attributes() {
    byte[] file = client.create(rig.top, "f", 04751);
    assertThat(client.write(file, 5000, new byte[3], 2).count()).isEqualTo(3);
    for (boolean slowly : new boolean[] {false, true}) {
      client.calls.slowly(slowly);
      Wire.Attributes a = client.attributes(file);
      assertThat(a.type()).isEqualTo(1);
      assertThat(a.mode()).isEqualTo(04751);
      assertThat(a.links()).isEqualTo(1);
      assertThat(a.size()).isEqualTo(5003);
      assertThat(a.used()).isPositive().isLessThan(5003);
      assertThat(a.fsid()).isEqualTo(client.attributes(rig.top).fsid()).isNotZero();
      assertThat(a.fileid()).isNotEqualTo(client.attributes(rig.top).fileid());
      assertThat(a.mtime()).isPositive();
      assertThat(Instant.ofEpochSecond(0, a.mtime())).isBeforeOrEqualTo(Instant.now());
    }
    client.calls.slowly(false);
    assertThat(isFast(Nfs3Procedure.GETATTR, w -> w.opaque(file))).isTrue();
    assertThat(client.attributes(rig.top).type()).isEqualTo(2);
    assertThat(client.attributes(client.symlink(rig.top, "l", "x")).type()).isEqualTo(5);
  }

  private int lookupStatus(byte[] directory, String name) {
    Wire answer = client.call(Nfs3Procedure.LOOKUP, w -> Nfs3Client.where(w, directory, name));
    int status = answer.u32();
    if (status == 0) {
      answer.opaque();
      answer.postOp();
    }
    answer.postOp();
    answer.end();
    return status;
  }

  @Test
  void lookup() {
    byte[] directory = client.mkdir(rig.top, "d");
    byte[] file = client.create(directory, "f");
    for (boolean slowly : new boolean[] {false, true}) {
      client.calls.slowly(slowly);
      assertThat(client.lookup(rig.top, "d")).isEqualTo(directory);
      assertThat(client.lookup(directory, ".")).isEqualTo(directory);
      assertThat(client.lookup(directory, "..")).isEqualTo(rig.top);
      assertThat(client.find(directory, "absent")).isNull();
      assertThat(lookupStatus(file, "x")).isEqualTo(NfsStatus.NOTDIR);
      assertThat(lookupStatus(directory, "")).isEqualTo(NfsStatus.ACCES);
      assertThat(lookupStatus(directory, "a/b")).isEqualTo(NfsStatus.ACCES);
      assertThat(lookupStatus(directory, "a\0b")).isEqualTo(NfsStatus.ACCES);
      assertThat(lookupStatus(directory, "x".repeat(255))).isEqualTo(NfsStatus.NOENT);
      assertThat(lookupStatus(directory, "x".repeat(256))).isEqualTo(NfsStatus.NAMETOOLONG);
      client.calls.as(7, 7);
      assertThat(lookupStatus(rig.top, "d")).isZero();
      client.calls.as(0, 0);
    }
    client.calls.slowly(false);
    assertThat(isFast(Nfs3Procedure.LOOKUP, w -> Nfs3Client.where(w, directory, "f"))).isTrue();
    assertThat(isFast(Nfs3Procedure.LOOKUP, w -> Nfs3Client.where(w, directory, "no"))).isFalse();
    assertThat(isFast(Nfs3Procedure.LOOKUP, w -> Nfs3Client.where(w, directory, "no"))).isTrue();
    client.chmod(directory, 0600);
    client.calls.as(7, 7);
    assertThat(lookupStatus(directory, "f")).isEqualTo(NfsStatus.ACCES);
  }

  private int access(byte[] file, int asked) {
    Wire answer = client.call(Nfs3Procedure.ACCESS, w -> w.opaque(file).int32(asked));
    assertThat(answer.u32()).isZero();
    assertThat(answer.postOp()).isNotNull();
    int granted = answer.u32();
    answer.end();
    return granted;
  }

  @Test
  void access() {
    byte[] directory = client.mkdir(rig.top, "d");
    byte[] file = client.create(directory, "f", 0640);
    for (boolean slowly : new boolean[] {false, true}) {
      client.calls.slowly(slowly).as(0, 0);
      assertThat(access(file, 0x3F)).isEqualTo(0x01 | 0x04 | 0x08);
      assertThat(access(directory, 0x3F)).isEqualTo(0x1F);
      assertThat(access(directory, 0x12)).isEqualTo(0x12);
      client.calls.as(7, 0);
      assertThat(access(file, 0x3F)).isEqualTo(0x01);
      client.calls.as(7, 5, 0);
      assertThat(access(file, 0x3F)).isEqualTo(0x01);
      client.calls.as(7, 7);
      assertThat(access(file, 0x3F)).isZero();
      assertThat(access(directory, 0x3F)).isEqualTo(0x03);
    }
  }

  @Test
  void symbolicLinks() {
    String target = "/any/where/" + "é".repeat(300);
    byte[] link = client.symlink(rig.top, "l", target);
    Wire answer = client.call(Nfs3Procedure.READLINK, w -> w.opaque(link));
    assertThat(answer.u32()).isZero();
    assertThat(answer.postOp()).isNotNull();
    assertThat(answer.opaque()).isEqualTo(Nfs3Client.name(target));
    answer.end();
    Wire refused = client.call(Nfs3Procedure.READLINK, w -> w.opaque(rig.top));
    assertThat(refused.u32()).isEqualTo(NfsStatus.INVAL);
    refused.postOp();
    refused.end();
  }

  private int readStatus(byte[] file, long position) {
    Wire answer = client.call(Nfs3Procedure.READ, w -> w.opaque(file).int64(position).int32(10));
    int status = answer.u32();
    answer.postOp();
    if (status == 0) {
      answer.u32();
      answer.bool();
      answer.opaque();
    }
    answer.end();
    return status;
  }

  @Test
  void read() {
    byte[] content = new byte[(1 << 20) + 12345];
    new Random(3).nextBytes(content);
    byte[] file = client.create(rig.top, "f");
    assertThat(client.write(file, 0, Arrays.copyOf(content, 1 << 20), 0).count())
        .isEqualTo(1 << 20);
    byte[] rest = Arrays.copyOfRange(content, 1 << 20, content.length);
    assertThat(client.write(file, 1 << 20, rest, 0).count()).isEqualTo(rest.length);
    Random random = new Random(4);
    for (int i = 0; i < 400; i++) {
      client.calls.slowly(i % 2 == 0);
      int at = random.nextInt(content.length + 10);
      int count = random.nextInt(i % 10 == 0 ? 1 << 20 : 20000);
      int end = Math.min(content.length, at + count);
      byte[] expected = at >= end ? new byte[0] : Arrays.copyOfRange(content, at, end);
      assertThat(client.read(file, at, count)).isEqualTo(expected);
    }
    client.calls.slowly(false);
    assertThat(client.read(file, 0, -1)).hasSize(1 << 20); // 4 GB requested, 1 MB returned
    assertThat(isFast(Nfs3Procedure.READ, w -> w.opaque(file).int64(5000).int32(65536))).isTrue();
    assertThat(readStatus(rig.top, 0)).isEqualTo(NfsStatus.INVAL);
    assertThat(readStatus(file, -1)).isEqualTo(NfsStatus.INVAL);
    assertThat(readStatus(file, Long.MAX_VALUE)).isZero();
  }

  @Test
  void usersThatMayRead() {
    client.calls.as(7, 7);
    assertThat(client.chmod(rig.top, 0777)).isEqualTo(NfsStatus.PERM);
    client.calls.as(0, 0);
    assertThat(client.chmod(rig.top, 0777)).isZero();
    client.calls.as(7, 7);
    byte[] file = client.create(rig.top, "f", 0);
    client.write(file, 0, "mine"); // allowed in spite of the mode, because the caller owns the file
    for (boolean slowly : new boolean[] {false, true}) {
      client.calls.slowly(slowly).as(7, 7);
      assertThat(readStatus(file, 0)).isZero();
      client.calls.as(8, 8);
      assertThat(readStatus(file, 0)).isEqualTo(NfsStatus.ACCES);
    }
    assertThat(client.write(file, 0, new byte[1], 0).status()).isEqualTo(NfsStatus.ACCES);
    client.calls.as(7, 7);
    assertThat(client.chmod(file, 0001)).isZero();
    client.calls.as(8, 8);
    assertThat(readStatus(file, 0)).isZero(); // execute permission includes reading
  }

  @Test
  void fileSystem() {
    for (boolean slowly : new boolean[] {false, true}) {
      client.calls.slowly(slowly);
      Wire info = client.call(Nfs3Procedure.FSINFO, w -> w.opaque(rig.top));
      assertThat(info.u32()).isZero();
      assertThat(info.postOp()).isNotNull();
      int[] sizes = new int[7];
      for (int i = 0; i < sizes.length; i++) {
        sizes[i] = info.u32();
      }
      assertThat(sizes).startsWith(1 << 20, 1 << 20, 4096, 1 << 20, 1 << 20, 4096);
      assertThat(info.u64()).isPositive();
      info.u32();
      info.u32();
      assertThat(info.u32()).isEqualTo(0x1B);
      info.end();
      Wire conf = client.call(Nfs3Procedure.PATHCONF, w -> w.opaque(rig.top));
      assertThat(conf.u32()).isZero();
      assertThat(conf.postOp()).isNotNull();
      assertThat(conf.u32()).isEqualTo(32000);
      assertThat(conf.u32()).isEqualTo(255);
      assertThat(conf.bool()).isTrue();
      assertThat(conf.bool()).isTrue();
      assertThat(conf.bool()).isFalse();
      assertThat(conf.bool()).isTrue();
      conf.end();
      Wire stat = client.call(Nfs3Procedure.FSSTAT, w -> w.opaque(rig.top));
      assertThat(stat.u32()).isZero();
      assertThat(stat.postOp()).isNotNull();
      long total = stat.u64();
      long free = stat.u64();
      assertThat(free).isLessThan(total).isGreaterThan(stat.u64());
      assertThat(stat.u64()).isGreaterThan(stat.u64());
      assertThat(stat.u64()).isPositive();
      stat.u32();
      stat.end();
    }
    byte[] gone = client.mkdir(rig.top, "gone");
    client.rmdir(rig.top, "gone");
    for (Nfs3Procedure asked :
        new Nfs3Procedure[] {Nfs3Procedure.FSSTAT, Nfs3Procedure.FSINFO, Nfs3Procedure.PATHCONF}) {
      Wire refused = client.call(asked, w -> w.opaque(gone));
      assertThat(refused.u32()).isEqualTo(NfsStatus.STALE);
      assertThat(refused.postOp()).isNull();
      refused.end();
    }
  }
}
