package sluice.nfs.v3;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import sluice.fs.FileAttributes;
import sluice.fs.FsException;
import sluice.nfs.export.Export;
import sluice.nfs.export.Exports;
import sluice.nfs.export.FileHandles;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.rpc.Credentials;
import sluice.nfs.rpc.RpcCall;
import sluice.nfs.rpc.RpcProgram;
import sluice.nfs.rpc.RpcRefusal;
import sluice.nfs.rpc.XdrReader;
import sluice.nfs.rpc.XdrWriter;
import sluice.sys.Errno;

/// The program MOUNT, version 3 (RFC 1813, appendix I), which returns the file handle of an
/// exported directory. It is called concurrently by workers.
///
/// The list of mounted exports is used only for DUMP. It does not have to be exact, because a
/// client may disconnect without UMNT and may use a handle without MNT.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | mounts | any worker | under the monitor | under the monitor |
public final class MountProgram implements RpcProgram {
  static final int PROGRAM = 100_005;
  static final int VERSION = 3;

  private static final int MNT = 1;
  private static final int DUMP = 2;
  private static final int UMNT = 3;
  private static final int UMNTALL = 4;
  private static final int EXPORT = 5;

  private static final int MAX_PATH_BYTES = 1024;
  private static final int MAX_MOUNTS = 1024;

  private final Exports exports;
  private final FileHandles handles;
  private final Set<Mounted> mounts = new LinkedHashSet<>();

  /// A mount of one client.
  ///
  /// @param path the path that the client has sent, decoded as ISO 8859-1
  private record Mounted(String client, String path) {}

  public MountProgram(Exports exports, FileHandles handles) {
    this.exports = exports;
    this.handles = handles;
  }

  @Override
  public int number() {
    return PROGRAM;
  }

  @Override
  public int lowestVersion() {
    return VERSION;
  }

  @Override
  public void call(RpcCall call, XdrReader arguments, XdrWriter results) {
    switch (call.procedure()) {
      case 0 -> {}
      case MNT -> mount(call, arguments, results);
      case DUMP -> dump(results);
      case UMNT -> unmount(mounted(call, arguments.opaque(MAX_PATH_BYTES)));
      case UMNTALL -> unmountAll(call.client().getHostAddress());
      case EXPORT -> list(results);
      default -> throw new RpcRefusal(RpcRefusal.PROCEDURE_UNAVAILABLE);
    }
  }

  private void mount(RpcCall call, XdrReader in, XdrWriter out) {
    byte[] path = in.opaque(MAX_PATH_BYTES);
    try {
      Exports.Place place = exports.find(path);
      Export export = place.export();
      if (!export.allows(call.client())) {
        out.int32(NfsStatus.ACCES);
        return;
      }
      FileAttributes directory = place.directory();
      out.int32(NfsStatus.OK);
      handles.write(out, export, directory.inode(), directory.generation());
      out.int32(1).int32(Credentials.AUTH_SYS);
      note(mounted(call, path));
    } catch (IOException e) {
      out.int32(status(e));
    }
  }

  private static int status(IOException e) {
    if (!(e instanceof FsException refused)) {
      return NfsStatus.IO;
    }
    return switch (refused.errno()) {
      case Errno.ENOENT, Errno.ESTALE -> NfsStatus.NOENT;
      case Errno.EACCES -> NfsStatus.ACCES;
      case Errno.ENOTDIR -> NfsStatus.NOTDIR;
      case Errno.EINVAL -> NfsStatus.INVAL;
      case Errno.ENAMETOOLONG -> NfsStatus.NAMETOOLONG;
      default -> NfsStatus.IO;
    };
  }

  private static Mounted mounted(RpcCall call, byte[] path) {
    String text = new String(path, StandardCharsets.ISO_8859_1);
    return new Mounted(call.client().getHostAddress(), text);
  }

  private synchronized void note(Mounted one) {
    if (mounts.size() >= MAX_MOUNTS && !mounts.contains(one)) {
      mounts.remove(mounts.iterator().next());
    }
    mounts.add(one);
  }

  private synchronized void unmount(Mounted one) {
    mounts.remove(one);
  }

  private synchronized void unmountAll(String client) {
    mounts.removeIf(one -> one.client.equals(client));
  }

  private void dump(XdrWriter out) {
    List<Mounted> all;
    synchronized (this) {
      all = new ArrayList<>(mounts);
    }
    for (Mounted one : all) {
      out.bool(true).opaque(latin(one.client)).opaque(latin(one.path));
    }
    out.bool(false);
  }

  private void list(XdrWriter out) {
    for (Export export : exports.list()) {
      out.bool(true).opaque(export.pathBytes());
      for (String client : export.clients()) {
        out.bool(true).opaque(latin(client));
      }
      out.bool(false);
    }
    out.bool(false);
  }

  private static byte[] latin(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }
}
