package sluice.nfs.v3;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.nfs.rpc.RpcServer;
import sluice.nfs.rpc.RpcServerRig;
import sluice.nfs.rpc.UdpExchange;
import sluice.nfs.rpc.Wire;

/// Tests NFSv3 and MOUNT over UDP: most procedures, datagrams of maximum length, and
/// retransmissions after a lost reply.
@Timeout(240)
final class Nfs3UdpTest {
  private final Nfs3Rig rig = Nfs3Rig.journaled();
  private final RpcServer server;

  Nfs3UdpTest() throws IOException {
    server = RpcServerRig.serve(true, rig.nfs, rig.mounts);
  }

  @AfterEach
  void close() throws IOException {
    server.close();
    rig.close();
  }

  private UdpExchange udp() throws IOException {
    return new UdpExchange(server.datagramAddresses().getFirst().getPort());
  }

  @Test
  void filesAreMadeWrittenReadAndRemoved() throws IOException {
    try (UdpExchange udp = udp()) {
      Nfs3Client client = rig.client();
      client.calls.over(udp);
      byte[] top = client.mount("/data");
      byte[] sub = client.mkdir(top, "sub");
      byte[] file = client.create(sub, "file");
      byte[] content = new byte[100_000];
      new Random(5).nextBytes(content);
      for (int at = 0; at < content.length; at += 32_768) {
        byte[] part = Arrays.copyOfRange(content, at, Math.min(content.length, at + 32_768));
        assertThat(client.write(file, at, part, 0).count()).isEqualTo(part.length);
      }
      Wire committed = client.call(Nfs3Procedure.COMMIT, w -> w.opaque(file).int64(0).int32(0));
      assertThat(committed.u32()).isZero();
      for (int at = 0; at < content.length; at += 32_768) {
        assertThat(client.read(file, at, 32_768))
            .isEqualTo(Arrays.copyOfRange(content, at, Math.min(content.length, at + 32_768)));
      }
      assertThat(client.attributes(file).size()).isEqualTo(content.length);
      client.symlink(sub, "symlink", "file");
      assertThat(client.link(file, sub, "link")).isZero();
      assertThat(client.truncate(file, 10)).isZero();
      assertThat(client.rename(sub, "link", top, "moved")).isZero();
      assertThat(client.lookup(top, "moved")).isEqualTo(file);
      assertThat(client.remove(top, "moved")).isZero();
      assertThat(client.remove(sub, "file")).isZero();
      assertThat(client.remove(sub, "symlink")).isZero();
      assertThat(client.rmdir(top, "sub")).isZero();
      assertThat(client.find(top, "sub")).isNull();
    }
    // The changes are visible to all other clients.
    assertThat(rig.root.find(rig.top, "sub")).isNull();
  }

  /// The longest replies fit into datagrams, and listings are limited to that length.
  @Test
  void answersFitIntoDatagrams() throws IOException {
    try (UdpExchange udp = udp()) {
      for (int i = 0; i < 900; i++) {
        rig.root.create(rig.top, "a rather long name of a file, so that few fit " + i);
      }
      Nfs3Client client = rig.client();
      client.calls.over(udp);
      Wire info = client.call(Nfs3Procedure.FSINFO, w -> w.opaque(rig.top));
      assertThat(info.u32()).isZero();
      info.postOp();
      int readMost = info.u32();
      assertThat(readMost).isBetween(8192, 65_000);
      byte[] file = rig.root.create(rig.top, "file");
      rig.root.write(file, 0, new byte[200_000], 0);
      assertThat(client.read(file, 0, readMost)).hasSize(readMost);
      Wire listing =
          client.call(
              Nfs3Procedure.READDIRPLUS,
              w -> w.opaque(rig.top).int64(0).int64(0).int32(8192).int32(32_768));
      assertThat(listing.u32()).isZero();
    }
  }

  /// A retransmission, also from another port, gets the same reply and changes nothing.
  @Test
  void whatIsSentAgainIsDoneOnce() throws IOException {
    try (UdpExchange udp = udp();
        UdpExchange other = udp()) {
      Nfs3Client client = rig.client();
      client.calls.over(udp);
      client.mkdir(rig.top, "once");
      byte[] message = udp.last();
      byte[] answer = udp.apply(message);
      assertThat(ByteBuffer.wrap(answer).getInt(24)).isZero(); // not EXIST
      assertThat(other.apply(message)).isEqualTo(answer);
      assertThat(client.rmdir(rig.top, "once")).isZero();
      assertThat(udp.apply(udp.last())).hasSizeGreaterThan(28);
      assertThat(ByteBuffer.wrap(udp.apply(udp.last())).getInt(24)).isZero(); // not NOENT
    }
  }
}
