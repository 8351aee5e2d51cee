package sluice.nfs.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.fs.Caller;
import sluice.fs.NewFile;
import sluice.fs.block.BlockDevice;
import sluice.fs.ext2.Ext2;
import sluice.fs.ext2.MountOptions;
import sluice.fs.ext2.format.Ext2Format;
import sluice.fs.ext2.format.FormatOptions;
import sluice.fs.storage.BlockDevices;
import sluice.loop.engine.Backend;
import sluice.loop.server.ServerConfig;
import sluice.nfs.ExportOptions;
import sluice.nfs.RpcLimits;
import sluice.nfs.Squash;
import sluice.nfs.export.Exports;
import sluice.nfs.export.FileHandles;
import sluice.nfs.export.ServerFile;
import sluice.nfs.v3.MountProgram;
import sluice.nfs.v3.Nfs3Client;
import sluice.nfs.v3.Nfs3Procedure;
import sluice.nfs.v3.Nfs3Program;
import sluice.testbase.Await;

/// Tests clients that request much data and do not read the replies: their share of a cache is
/// limited, other clients make progress, and when they finally read, they get all data.
@Timeout(300)
final class RpcLeasesTest {
  private static final int PROGRAM = RpcTestProgram.NUMBER;

  /// An odd length whose reply is made by a worker.
  private static final int MUCH = (1 << 20) - 3;

  private static final int CALLS = 64;
  private static final int MOST = 4 << 20;

  /// The most bytes beyond the limit: replies made on the loop's thread, and the reply in progress
  /// when the limit was reached.
  private static final int MORE = 2 << 20;

  private static byte[] reads(int bytes) {
    byte[] one =
        RpcTestClient.record(
            RpcTestClient.message(0, PROGRAM, RpcTestProgram.READ, to -> to.int32(bytes)));
    byte[] all = new byte[CALLS * one.length];
    for (int i = 0; i < CALLS; i++) {
      System.arraycopy(one, 0, all, i * one.length, one.length);
      all[i * one.length + 7] = (byte) i; // xid
    }
    return all;
  }

  /// Reads the replies to [#reads].
  private static void take(RpcTestClient client, int bytes) throws IOException {
    for (int i = 0; i < CALLS; i++) {
      byte[] content = client.results().opaque(1 << 20);
      assertThat(content.length).isBetween(1, bytes);
      for (int at = 0; at < content.length; at += 997) {
        assertThat(content[at]).isEqualTo(RpcTestProgram.content(at));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL", "POLL", "JDK"})
  void oneThatDoesNotRead(Backend backend) throws Exception {
    RpcLimits limits = RpcLimits.DEFAULT.withLeasedBytes(2 * MOST);
    try (RpcServerRig rig = new RpcServerRig(backend, limits);
        RpcTestClient bad = rig.connect();
        RpcTestClient good = rig.connect()) {
      bad.send(reads(MUCH));
      Await.until("it to be held", () -> rig.count(c -> c.heldForLeases) > 0);
      Await.until("its calls", () -> rig.count(c -> c.passed) == rig.count(c -> c.worked));
      assertThat((long) rig.program.leases() * RpcTestProgram.LEASED_BYTES)
          .isLessThanOrEqualTo(MOST + MORE);
      good.send(reads(MUCH));
      take(good, MUCH);
      good.call(9, PROGRAM, RpcTestProgram.SLOW, to -> to.int32(9));
      assertThat(good.results().int32()).isEqualTo(9);
      take(bad, MUCH);
      bad.call(9, PROGRAM, RpcTestProgram.SLOW, to -> to.int32(9));
      assertThat(bad.results().int32()).isEqualTo(9);
    }
  }

  @Test
  void manyThatDoNotRead() throws Exception {
    RpcLimits limits = RpcLimits.DEFAULT.withLeasedBytes(2 * MOST);
    List<RpcTestClient> bad = new ArrayList<>();
    try (RpcServerRig rig = new RpcServerRig(Backend.AUTO, limits);
        RpcTestClient good = rig.connect()) {
      for (int i = 0; i < 24; i++) {
        RpcTestClient client = rig.connect();
        bad.add(client);
        // From workers and from the loop's thread.
        client.send(reads((i & 1) == 0 ? MUCH : 1 << 20));
      }
      Await.until("them to be held", () -> rig.count(c -> c.heldForLeases) > 3);
      Await.until("their calls", () -> rig.count(c -> c.passed) == rig.count(c -> c.worked));
      assertThat((long) rig.program.leases() * RpcTestProgram.LEASED_BYTES)
          .isLessThanOrEqualTo(2 * MOST + MORE);
      good.send(reads(MUCH));
      take(good, MUCH);
      take(bad.get(0), MUCH);
      take(bad.get(1), 1 << 20);
      for (RpcTestClient client : bad) {
        client.close();
      }
    } finally {
      for (RpcTestClient client : bad) {
        client.close();
      }
    }
  }

  /// A client requests 64 parts of a file that is larger than the cache and reads none; a client
  /// that reads another file still finds cache frames.
  @Test
  void theCacheIsThereForOthers() throws Exception {
    int cache = 8 << 20;
    try (BlockDevice device = BlockDevices.memory(48 << 20)) {
      FormatOptions format = FormatOptions.forDevice(48 << 20).withBlockBytes(4096);
      Ext2Format.format(device, format, _ -> {});
      try (Ext2 tree = Ext2.mount(device, MountOptions.defaults().withCacheBytes(cache));
          Exports exports = new Exports()) {
        fill(tree, "large", 32 << 20);
        fill(tree, "other", 2 << 20);
        exports.add("/data", tree, "/", ExportOptions.defaults().withSquash(Squash.NONE));
        FileHandles handles = new FileHandles(exports);
        Nfs3Program nfs = new Nfs3Program(exports, handles, 1);
        MountProgram mounts = new MountProgram(exports, handles);
        byte[] large;
        byte[] other;
        try (Nfs3Client client = new Nfs3Client(nfs, mounts)) {
          byte[] top = client.mount("/data");
          large = client.lookup(top, "large");
          other = client.lookup(top, "other");
        }
        RpcServer.Options options =
            new RpcServer.Options(
                List.of(nfs, mounts),
                RpcLimits.DEFAULT.withLeasedBytes(cache / 4),
                InetAddress::isLoopbackAddress,
                false);
        RpcServer server = RpcServer.start(ServerConfig.onLoopback("leases", 0), options);
        try (server) {
          readBeside(server, large, other);
        }
      }
    }
  }

  private static void readBeside(RpcServer server, byte[] large, byte[] other) throws Exception {
    List<RpcTestClient> bad = new ArrayList<>();
    try (RpcTestClient good = new RpcTestClient(server.server().port())) {
      for (int i = 0; i < 2; i++) {
        RpcTestClient client = new RpcTestClient(server.server().port());
        bad.add(client);
        for (int at = 0; at < 64; at++) {
          client.send(read(at, large, (long) (at & 31) << 20, 1 << 20));
        }
      }
      Await.until(
          "them to be held",
          () -> server.counts().stream().mapToLong(c -> c.heldForLeases).sum() > 0);
      for (int at = 0; at < 2 << 20; at += 128 << 10) {
        good.send(read(at, other, at, 128 << 10));
        Wire answer = new Wire(good.receive(), RpcTestCalls.RESULTS_AT);
        assertThat(answer.u32()).isZero();
        answer.postOp();
        int bytes = answer.u32();
        answer.bool();
        assertThat(bytes).isBetween(1, 128 << 10);
        assertThat(answer.opaque()).hasSize(bytes).containsOnly(7);
      }
    } finally {
      for (RpcTestClient client : bad) {
        client.close();
      }
    }
  }

  private static byte[] read(int xid, byte[] file, long at, int bytes) {
    XdrWriter to = new XdrWriter(1 << 10);
    to.int32(xid).int32(0).int32(2).int32(100_003).int32(3).int32(Nfs3Procedure.READ.number());
    RpcTestCalls.credentials(to, 0, 0, "client");
    to.opaque(file).int64(at).int32(bytes);
    byte[] message = to.toBytes();
    to.clear();
    return RpcTestClient.record(message);
  }

  private static void fill(Ext2 tree, String name, int bytes) throws IOException {
    byte[] piece = new byte[1 << 20];
    java.util.Arrays.fill(piece, (byte) 7);
    long inode =
        tree.create(Caller.ROOT, tree.rootInode(), Nfs3Client.name(name), NewFile.regular(0644));
    try (ServerFile file = new ServerFile(tree, inode, piece.length)) {
      for (int at = 0; at < bytes; at += piece.length) {
        file.write(at, piece);
      }
    }
    tree.sync();
  }
}
