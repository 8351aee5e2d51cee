package sluice.nfs.v3;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import sluice.nfs.export.FileHandles;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.rpc.RpcProgram;
import sluice.nfs.rpc.RpcTestCalls;
import sluice.nfs.rpc.RpcTestClient;
import sluice.nfs.rpc.Wire;
import sluice.nfs.rpc.XdrWriter;

/// Calls NFSv3 and MOUNT and decodes the replies with [Wire]. Not thread-safe.
public final class Nfs3Client implements AutoCloseable {
  static final Consumer<XdrWriter> NO_ATTRIBUTES = w -> sattr(w, -1);

  public final RpcTestCalls calls;

  public Nfs3Client(RpcProgram... programs) {
    calls = new RpcTestCalls(programs);
  }

  public static byte[] name(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /// Writes a `sattr3` that sets the mode, or nothing if it is negative.
  public static void sattr(XdrWriter w, int mode) {
    w.bool(mode >= 0);
    if (mode >= 0) {
      w.int32(mode);
    }
    w.bool(false).bool(false).bool(false).int32(0).int32(0);
  }

  public RpcTestCalls.Reply reply(Nfs3Procedure procedure, Consumer<XdrWriter> arguments) {
    return calls.call(100003, 3, procedure.number(), arguments);
  }

  public Wire call(Nfs3Procedure procedure, Consumer<XdrWriter> arguments) {
    RpcTestCalls.Reply reply = reply(procedure, arguments);
    assertThat(reply.status()).as("accept_stat of " + procedure).isZero();
    return new Wire(reply.bytes(), 24);
  }

  public Wire mountCall(int procedure, Consumer<XdrWriter> arguments) {
    RpcTestCalls.Reply reply = calls.call(100005, 3, procedure, arguments);
    assertThat(reply.status()).isZero();
    return new Wire(reply.bytes(), 24);
  }

  public byte[] mount(String path) {
    Wire answer = mountCall(1, w -> w.opaque(name(path)));
    assertThat(answer.u32()).as("mountstat3").isZero();
    byte[] handle = answer.opaque();
    assertThat(answer.u32()).isEqualTo(1);
    assertThat(answer.u32()).isEqualTo(1);
    answer.end();
    return handle;
  }

  // ---- short ways -------------------------------------------------------------------------------

  /// Runs GETATTR.
  public Wire.Attributes attributes(byte[] handle) {
    Wire answer = call(Nfs3Procedure.GETATTR, w -> w.opaque(handle));
    assertThat(answer.u32()).isZero();
    Wire.Attributes attributes = answer.fattr();
    answer.end();
    return attributes;
  }

  public int getattrStatus(byte[] handle) {
    Wire answer = call(Nfs3Procedure.GETATTR, w -> w.opaque(handle));
    int status = answer.u32();
    if (status == 0) {
      answer.fattr();
    }
    answer.end();
    return status;
  }

  /// Returns a call of root as a record of a stream.
  public static byte[] record(int xid, Nfs3Procedure procedure, Consumer<XdrWriter> arguments) {
    XdrWriter to = new XdrWriter(1 << 16);
    to.int32(xid).int32(0).int32(2).int32(100003).int32(3).int32(procedure.number());
    RpcTestCalls.credentials(to, 0, 0, "client");
    arguments.accept(to);
    return RpcTestClient.record(to.toBytes());
  }

  public static void where(XdrWriter w, byte[] directory, String name) {
    w.opaque(directory).opaque(name(name));
  }

  /// Runs LOOKUP.
  ///
  /// @return the handle; null if the name does not exist
  public byte @Nullable [] find(byte[] directory, String name) {
    Wire answer = call(Nfs3Procedure.LOOKUP, w -> where(w, directory, name));
    int status = answer.u32();
    byte[] handle = null;
    if (status == 0) {
      handle = answer.opaque();
      assertThat(answer.postOp()).isNotNull();
    } else {
      assertThat(status).isEqualTo(NfsStatus.NOENT);
    }
    assertThat(answer.postOp()).isNotNull();
    answer.end();
    return handle;
  }

  public byte[] lookup(byte[] directory, String name) {
    byte[] found = find(directory, name);
    assertThat(found).as(name).isNotNull();
    return found == null ? new byte[0] : found;
  }

  public byte[] mkdir(byte[] directory, String name) {
    return made(
        call(
            Nfs3Procedure.MKDIR,
            w -> {
              where(w, directory, name);
              sattr(w, 0755);
            }));
  }

  /// Runs a GUARDED CREATE.
  public byte[] create(byte[] directory, String name) {
    return create(directory, name, 0644);
  }

  public byte[] create(byte[] directory, String name, int mode) {
    return made(
        call(
            Nfs3Procedure.CREATE,
            w -> {
              where(w, directory, name);
              w.int32(1);
              sattr(w, mode);
            }));
  }

  public byte[] symlink(byte[] directory, String name, String target) {
    return made(
        call(
            Nfs3Procedure.SYMLINK,
            w -> {
              where(w, directory, name);
              sattr(w, -1);
              w.opaque(name(target));
            }));
  }

  /// Returns the handle in a successful reply to CREATE, MKDIR, SYMLINK or MKNOD.
  public static byte[] made(Wire answer) {
    assertThat(answer.u32()).isZero();
    byte[] handle = answer.postOpHandle();
    assertThat(handle).hasSize(FileHandles.BYTES);
    assertThat(answer.postOp()).isNotNull();
    Wire.Wcc wcc = answer.wcc();
    assertThat(wcc.before()).isNotNull();
    assertThat(wcc.after()).isNotNull();
    answer.end();
    return handle == null ? new byte[0] : handle;
  }

  /// Returns the status of a reply that consists of a `wcc_data`, both for success and refusal.
  static int wccStatus(Wire answer) {
    int status = answer.u32();
    answer.wcc();
    answer.end();
    return status;
  }

  public int remove(byte[] directory, String name) {
    return wccStatus(call(Nfs3Procedure.REMOVE, w -> where(w, directory, name)));
  }

  public int rmdir(byte[] directory, String name) {
    return wccStatus(call(Nfs3Procedure.RMDIR, w -> where(w, directory, name)));
  }

  public int rename(byte[] from, String name, byte[] to, String newName) {
    Wire answer =
        call(
            Nfs3Procedure.RENAME,
            w -> {
              where(w, from, name);
              where(w, to, newName);
            });
    int status = answer.u32();
    answer.wcc();
    answer.wcc();
    answer.end();
    return status;
  }

  public int link(byte[] file, byte[] directory, String name) {
    Wire answer =
        call(
            Nfs3Procedure.LINK,
            w -> {
              w.opaque(file);
              where(w, directory, name);
            });
    int status = answer.u32();
    answer.postOp();
    answer.wcc();
    answer.end();
    return status;
  }

  /// Runs SETATTR with a `sattr3` that sets only the length.
  int truncate(byte[] file, long bytes) {
    return wccStatus(
        call(
            Nfs3Procedure.SETATTR,
            w -> {
              w.opaque(file).bool(false).bool(false).bool(false);
              w.bool(true).int64(bytes).int32(0).int32(0).bool(false);
            }));
  }

  /// Runs SETATTR with a mode.
  public int chmod(byte[] file, int mode) {
    return wccStatus(
        call(
            Nfs3Procedure.SETATTR,
            w -> {
              w.opaque(file);
              sattr(w, mode);
              w.bool(false);
            }));
  }

  /// The result of WRITE.
  ///
  /// @param verifier the write verifier; 0 if the call was refused
  public record Written(int status, int count, int committed, long verifier) {}

  public Written write(byte[] file, long position, byte[] bytes, int stable) {
    Wire answer =
        call(
            Nfs3Procedure.WRITE,
            w -> w.opaque(file).int64(position).int32(bytes.length).int32(stable).opaque(bytes));
    int status = answer.u32();
    answer.wcc();
    Written written =
        status == 0
            ? new Written(0, answer.u32(), answer.u32(), answer.u64())
            : new Written(status, 0, 0, 0);
    answer.end();
    return written;
  }

  public void write(byte[] file, long position, String text) {
    assertThat(write(file, position, name(text), 2).count()).isEqualTo(name(text).length);
  }

  public byte[] read(byte[] file, long position, int count) {
    Wire answer = call(Nfs3Procedure.READ, w -> w.opaque(file).int64(position).int32(count));
    assertThat(answer.u32()).isZero();
    Wire.Attributes now = answer.postOp();
    int bytes = answer.u32();
    boolean end = answer.bool();
    byte[] data = answer.opaque();
    answer.end();
    assertThat(data).hasSize(bytes);
    assertThat(now).isNotNull();
    assertThat(end).isEqualTo(now != null && position + bytes >= now.size());
    return data;
  }

  @Override
  public void close() {
    calls.close();
  }
}
