package sluice.nfs;

import java.io.IOException;
import java.util.Arrays;
import sluice.fs.Caller;
import sluice.fs.FileAttributes;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.sys.Errno;

/// The procedures that take names away: REMOVE, RMDIR, RENAME. Stateless; called by workers.
final class Nfs3Removing {
  /// A file of more bytes is freed after the group in which it loses its name: freeing takes more
  /// of the journal than one group may.
  private static final long FREED_AT_ONCE_BYTES = 256 << 10;

  private Nfs3Removing() {}

  static void remove(Nfs3Call call) throws IOException, NfsException {
    FileRef directory = call.handle();
    byte[] name = call.name();
    boolean dots = Nfs3Call.isDot(name) || Nfs3Call.isDotDot(name);
    if (dots) {
      throw new NfsException(NfsStatus.ACCES);
    }
    takeAway(call, directory, name, Nfs3Call.tree(directory)::unlink);
  }

  /// Takes a name out of a directory.
  private interface Removal {
    void run(Caller caller, long directory, byte[] name) throws IOException;
  }

  private static void takeAway(Nfs3Call call, FileRef directory, byte[] name, Removal removal)
      throws IOException, NfsException {
    requireSeen(directory, name, NfsStatus.NOENT);
    FileTree tree = Nfs3Call.tree(directory);
    Caller caller = call.caller(directory);
    Nfs3Change.run(
        call,
        directory,
        frame -> {
          long held = frame.groups() ? holdLarge(tree, caller, directory.inode, name) : 0;
          try {
            frame.grouped(() -> {
              removal.run(caller, directory.inode, name);
              call.status(NfsStatus.OK);
              call.wcc(directory);
            });
          } finally {
            letGo(tree, held);
          }
        });
  }

  private static void requireSeen(FileRef directory, byte[] name, int status) throws NfsException {
    if (directory.export.share().hides(directory.inode, name)) {
      throw new NfsException(status);
    }
  }

  /// Keeps a large file, which is about to lose a name, until the group has ended.
  ///
  /// @return its inode, or 0
  private static long holdLarge(FileTree tree, Caller caller, long directory, byte[] name)
      throws IOException {
    try {
      long inode = tree.lookup(caller, directory, name);
      FileAttributes now = tree.attributes(inode);
      if (now.allocatedBytes() <= FREED_AT_ONCE_BYTES || now.links() > 1) {
        return 0;
      }
      tree.retain(inode);
      return inode;
    } catch (FsException e) {
      if (e.errno() == Errno.EIO || e.errno() == Errno.EUCLEAN) {
        throw e;
      }
      return 0; // the change will say it
    }
  }

  private static void letGo(FileTree tree, long held) throws IOException {
    if (held != 0) {
      tree.release(held);
    }
  }

  static void rmdir(Nfs3Call call) throws IOException, NfsException {
    FileRef directory = call.handle();
    byte[] name = call.name();
    if (Nfs3Call.isDot(name)) {
      throw new NfsException(NfsStatus.INVAL);
    }
    if (Nfs3Call.isDotDot(name)) {
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
        frame -> {
          boolean same = from.inode == to.inode && Arrays.equals(name, newName);
          long held = same || !frame.groups() ? 0 : holdLarge(tree, caller, to.inode, newName);
          try {
            frame.grouped(() -> {
              tree.rename(caller, from.inode, name, to.inode, newName, 0);
              call.status(NfsStatus.OK);
              call.wcc(from);
              call.wcc(to);
            });
          } finally {
            letGo(tree, held);
          }
        });
  }

  private static byte[] renamed(Nfs3Call call) throws NfsException {
    byte[] name = call.name();
    if (Nfs3Call.isDot(name) || Nfs3Call.isDotDot(name)) {
      throw new NfsException(NfsStatus.INVAL);
    }
    return name;
  }
}
