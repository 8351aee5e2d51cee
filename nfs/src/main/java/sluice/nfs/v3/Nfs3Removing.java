package sluice.nfs.v3;

import java.io.IOException;
import sluice.fs.Caller;
import sluice.fs.FileNames;
import sluice.fs.FileTree;
import sluice.nfs.export.FileRef;
import sluice.nfs.export.NfsException;
import sluice.nfs.export.NfsStatus;

/// The procedures that remove names: REMOVE, RMDIR and RENAME. This class is stateless, and its
/// methods are called by workers.
final class Nfs3Removing {
  private Nfs3Removing() {}

  static void remove(Nfs3Call call) throws IOException, NfsException {
    FileRef directory = call.handle();
    byte[] name = call.name();
    boolean dots = FileNames.isDots(name);
    if (dots) {
      throw new NfsException(NfsStatus.ACCES);
    }
    takeAway(call, directory, name, Nfs3Call.tree(directory)::unlink);
  }

  /// An operation that removes a name from a directory.
  private interface Removal {
    void run(Caller caller, long directory, byte[] name) throws IOException;
  }

  private static void takeAway(Nfs3Call call, FileRef directory, byte[] name, Removal removal)
      throws IOException, NfsException {
    requireSeen(directory, name, NfsStatus.NOENT);
    Caller caller = call.caller(directory);
    Nfs3Change.run(
        call,
        directory,
        frame ->
            frame.grouped(() -> {
              removal.run(caller, directory.inode, name);
              call.status(NfsStatus.OK);
              call.wcc(directory);
            }));
  }

  private static void requireSeen(FileRef directory, byte[] name, int status) throws NfsException {
    if (directory.export.exported().hides(directory.inode, name)) {
      throw new NfsException(status);
    }
  }

  static void rmdir(Nfs3Call call) throws IOException, NfsException {
    FileRef directory = call.handle();
    byte[] name = call.name();
    if (FileNames.isDot(name)) {
      throw new NfsException(NfsStatus.INVAL);
    }
    if (FileNames.isDotDot(name)) {
      throw new NfsException(NfsStatus.EXIST);
    }
    takeAway(call, directory, name, Nfs3Call.tree(directory)::rmdir);
  }

  static void rename(Nfs3Call call) throws IOException, NfsException {
    FileRef from = call.handle();
    byte[] name = renamed(call);
    FileRef to = call.handle();
    byte[] newName = renamed(call);
    requireSeen(from, name, NfsStatus.NOENT);
    requireSeen(to, newName, NfsStatus.ACCES);
    FileTree tree = Nfs3Call.tree(from);
    Caller caller = call.caller(from);
    Nfs3Change.run(
        call,
        from,
        to,
        frame ->
            frame.grouped(() -> {
              tree.rename(caller, from.inode, name, to.inode, newName, 0);
              call.status(NfsStatus.OK);
              call.wcc(from);
              call.wcc(to);
            }));
  }

  private static byte[] renamed(Nfs3Call call) throws NfsException {
    byte[] name = call.name();
    if (FileNames.isDots(name)) {
      throw new NfsException(NfsStatus.INVAL);
    }
    return name;
  }
}
