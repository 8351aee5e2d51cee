package sluice.nfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import sluice.fs.block.BlockDevice;
import sluice.fs.ext2.Ext2;
import sluice.fs.ext2.MountOptions;
import sluice.fs.ext2.format.Ext2Format;
import sluice.fs.ext2.format.FormatOptions;
import sluice.fs.storage.BlockDevices;
import sluice.nfs.ExportOptions;
import sluice.nfs.Squash;
import sluice.nfs.export.Exports;
import sluice.nfs.export.FileHandles;
import sluice.nfs.rpc.Portmapper;
import sluice.nfs.rpc.RpcRefusal;
import sluice.nfs.rpc.RpcTestCalls;
import sluice.nfs.rpc.XdrWriter;
import sluice.nfs.v3.MountProgram;
import sluice.nfs.v3.Nfs3Client;
import sluice.nfs.v3.Nfs3Program;
import sluice.nfs.v4.Nfs4Program;
import sluice.nfs.v4.Nfs4TestClient;

/// Sends RPC messages that no client would send to NFSv3, NFSv4.1, MOUNT and the portmapper over an
/// image in memory. Each one is answered or refused, without an internal error.
///
/// Each test run tries the inputs in `src/test/resources`. In `./sluice test --acceptance`, as in
/// continuous integration, each method searches for new inputs for three seconds, starting where
/// the last run on this machine stopped (`.cifuzz-corpus`); `SLUICE_EXPLORE=10m` makes it longer.
/// To run a single method:
///
/// ```
/// JAZZER_FUZZ=1 mvn -Dfast -pl nfs -am test-compile surefire:test@fuzz \
///     -Dsurefire.failIfNoSpecifiedTests=false -Dtest='NfsFuzz#calls' -Djazzer.max_duration=5m
/// ```
///
/// An input that fails is printed (in base64) and stored with the others, so that it fails the
/// ordinary test run from then on.
@Tag("fuzz")
final class NfsFuzz {
  private static final int DEVICE_BYTES = 8 << 20;
  private static final int TOKENS = 8;

  private static @Nullable Server server;

  /// The server that gets all inputs of a run.
  private static final class Server implements AutoCloseable {
    final BlockDevice device = BlockDevices.memory(DEVICE_BYTES);
    final Ext2 tree;
    final Exports exports = new Exports();
    final RpcTestCalls calls;
    final byte[][] handles;
    final Nfs4TestClient client;

    Server() throws IOException {
      Ext2Format.format(device, FormatOptions.forDevice(DEVICE_BYTES), _ -> {});
      tree = Ext2.mount(device, MountOptions.defaults().withCacheBytes(4 << 20));
      exports.add("/data", tree, "/", ExportOptions.defaults().withSquash(Squash.NONE));
      FileHandles made = new FileHandles(exports);
      Nfs3Program nfs3 = new Nfs3Program(exports, made, 1);
      MountProgram mounts = new MountProgram(exports, made);
      calls = new RpcTestCalls(new Portmapper(), mounts, nfs3, new Nfs4Program(exports, made, 1));
      client = new Nfs4TestClient(calls, "fuzz");
      client.cache = false;
      client.connect();
      client.reclaimComplete();
      try (Nfs3Client first = new Nfs3Client(nfs3, mounts)) {
        first.calls.xid(1 << 20);
        byte[] top = first.mount("/data");
        byte[] directory = first.mkdir(top, "a");
        byte[] file = first.create(top, "b", 0666);
        first.write(file, 0, "content of a file");
        byte[] link = first.symlink(directory, "c", "../b");
        handles = new byte[][] {top, directory, file, link, client.handle("data")};
      }
    }

    @Override
    public void close() throws IOException {
      calls.close();
      exports.close();
      tree.close();
      device.close();
    }
  }

  @BeforeAll
  static void start() throws IOException {
    server = new Server();
  }

  @AfterAll
  static void stop() throws IOException {
    Server running = server;
    if (running != null) {
      running.close();
    }
  }

  private static Server server() {
    Server running = server;
    if (running == null) {
      throw new IllegalStateException("not started");
    }
    return running;
  }

  private static void check(RpcTestCalls.@Nullable Reply reply) {
    if (reply != null) {
      assertThat(reply.bytes().length % 4).isZero();
      assertThat(reply.status()).isNotEqualTo(RpcRefusal.SYSTEM_ERROR);
    }
  }

  /// Sends arbitrary bytes as a message.
  @FuzzTest
  void messages(byte[] data) {
    check(server().calls.send(data));
  }

  /// Sends a call with a valid header: the first two bytes select program and procedure, the others
  /// are the arguments.
  @FuzzTest
  void calls(byte[] data) {
    if (data.length < 2) {
      return;
    }
    int which = data[0] & 7;
    int program = which == 0 ? 100_000 : which == 1 ? 100_005 : 100_003;
    int version = which == 0 ? 2 : 3;
    boolean slowly = (data[0] & 8) != 0 && which != 0; // the portmapper always answers at once
    RpcTestCalls calls = server().calls.slowly(slowly).as(data[0] >> 4 & 1, 0);
    byte[] rest = Arrays.copyOfRange(data, 2, data.length);
    check(calls.call(program, version, data[1] & 31, to -> arguments(to, rest)));
  }

  /// Sends a COMPOUND after a valid SEQUENCE.
  @FuzzTest
  void compounds(byte[] data) {
    if (data.length < 1) {
      return;
    }
    Server to = server();
    to.calls.slowly((data[0] & 64) != 0).as(0, 0);
    byte[] rest = Arrays.copyOfRange(data, 1, data.length);
    to.client.sequences[0]++;
    Nfs4TestClient.Op sequence = to.client.sequence(0, to.client.sequences[0]);
    RpcTestCalls.Reply reply =
        to.calls.call(
            100_003,
            4,
            1,
            out -> {
              out.opaque(new byte[0]).int32(1).int32(1 + (data[0] & 15));
              sequence.write(out);
              arguments(out, rest);
            });
    check(reply);
    if (Nfs4TestClient.isSessionGone(reply)) {
      to.client.verifier++; // the session has destroyed itself
      to.client.connect();
      to.client.reclaimComplete();
    }
  }

  /// Writes arguments: each byte selects a part of typical arguments, so that valid handles and
  /// names occur often.
  private static void arguments(XdrWriter to, byte[] data) {
    ByteBuffer from = ByteBuffer.wrap(data);
    byte[][] handles = server().handles;
    while (from.hasRemaining() && to.remaining() > 4096) {
      int token = from.get() & 0xFF;
      switch (token % TOKENS) {
        case 0 -> to.opaque(handles[(token >> 3) % handles.length]);
        case 1 -> to.opaque(new byte[] {(byte) ('a' + (token >> 3))});
        case 2 -> to.int32(token >> 3);
        case 3 -> to.int64(token >> 3);
        case 4 -> to.opaque(bytes(from, token >> 3));
        case 5 -> to.int32(word(from));
        case 6 -> Nfs4TestClient.anonymous(to);
        default -> Nfs4TestClient.putFh(handles[(token >> 3) % handles.length]).write(to);
      }
    }
  }

  private static byte[] bytes(ByteBuffer from, int most) {
    byte[] bytes = new byte[Math.min(most, from.remaining())];
    from.get(bytes);
    return bytes;
  }

  private static int word(ByteBuffer from) {
    return from.remaining() < 4 ? -1 : from.getInt();
  }
}
