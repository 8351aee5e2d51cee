package sluice.fs.fuse;

import java.io.IOException;
import java.util.Arrays;
import sluice.fs.FileAttributes;
import sluice.fs.FileKind;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.fs.NewFile;
import sluice.sys.Errno;

/// Handles LOOKUP and the requests that create, rename and remove names. Instances are confined to
/// one worker.
final class FuseNames {
  private static final byte[] SELF = {'.'};

  private final FuseExchange x;
  private final FuseAttributes attributes;

  FuseNames(FuseExchange exchange, FuseAttributes attributes) {
    x = exchange;
    this.attributes = attributes;
  }

  void lookup() throws IOException {
    long directory = x.inode();
    byte[] name = x.request.name(0);
    if (Arrays.equals(name, SELF)) {
      // A file handle (`open_by_handle_at(2)`, the kernel's NFS server) refers to a file that the
      // kernel has forgotten. The generation in the reply indicates whether it is still the same
      // file. Programs cannot cause this request because the kernel resolves `.` itself.
      entry(directory);
      return;
    }
    long found = x.tree.tryLookup(x.caller(), directory, name);
    if (found == FileTree.WOULD_BLOCK) {
      x.slow();
      found = lookup(directory, name);
    }
    if (found == 0) {
      // The kernel may also cache the fact that a name does not exist.
      x.reply.body(FuseLayout.ENTRY_BYTES);
      x.reply.setLong(FuseLayout.ENTRY_VALID, x.session.validSeconds);
      return;
    }
    entry(found);
    if (!x.session.remembers() && lookup(directory, name) != found) {
      x.told = 0;
      x.forget(x.nodes.swap(found), 1);
      throw FsException.of(Errno.ESTALE, "a name in directory " + directory + " changes hands");
    }
  }

  private long lookup(long directory, byte[] name) throws IOException {
    try {
      return x.tree.lookup(x.caller(), directory, name);
    } catch (FsException e) {
      if (e.errno() == Errno.ENOENT) {
        return 0;
      }
      throw e;
    }
  }

  /// Reports an inode to the kernel. The lookup is counted before the inode is read. Therefore a
  /// thread that removes the last name afterwards sees the count and retains the file, so that its
  /// number is not reused.
  ///
  /// @throws FsException `ESTALE` if the file has lost its last name
  private void entry(long inode) throws IOException {
    x.nodes.told(inode);
    boolean known = false;
    try {
      FileAttributes a = x.attributes(inode);
      if (a.links() == 0) {
        throw FsException.of(Errno.ESTALE, "inode " + inode + " was removed");
      }
      x.reply.body(FuseLayout.ENTRY_BYTES);
      attributes.putEntry(0, a);
      x.told = inode;
      known = true;
    } finally {
      if (!known) {
        x.forget(x.nodes.swap(inode), 1);
      }
    }
  }

  // ---- creating ---------------------------------------------------------------------------------

  private long make(int nameOffset, NewFile what) throws IOException {
    return x.tree.create(x.caller(), x.inode(), x.request.name(nameOffset), what);
  }

  void mknod() throws IOException {
    x.request.require(FuseLayout.MKNOD_BYTES);
    int mode = x.request.intAt(FuseLayout.MKNOD_MODE);
    int device = x.request.intAt(FuseLayout.MKNOD_RDEV);
    FileKind kind = FileKind.ofMode(mode);
    boolean isDevice = kind == FileKind.CHARACTER_DEVICE || kind == FileKind.BLOCK_DEVICE;
    int major = isDevice ? device >>> 8 & 0xFFF : 0;
    int minor = isDevice ? (device & 0xFF) | (device >>> 12 & 0xFFF00) : 0;
    entry(make(FuseLayout.MKNOD_BYTES, NewFile.device(kind, mode & 0xFFF, major, minor)));
  }

  void mkdir() throws IOException {
    x.request.require(FuseLayout.MKDIR_BYTES);
    int mode = x.request.intAt(FuseLayout.MKDIR_MODE);
    entry(make(FuseLayout.MKDIR_BYTES, NewFile.directory(mode & 0xFFF)));
  }

  void symlink() throws IOException {
    byte[] name = x.request.name(0);
    byte[] target = x.request.name(name.length + 1);
    entry(make(0, NewFile.symlink(target)));
  }

  void create() throws IOException {
    x.request.require(FuseLayout.CREATE_BYTES);
    int mode = x.request.intAt(FuseLayout.CREATE_MODE);
    long inode = make(FuseLayout.CREATE_BYTES, NewFile.regular(mode & 0xFFF));
    entry(inode);
    x.session.unflushed.changed(inode);
    int opened = x.reply.append(FuseLayout.OPEN_OUT_BYTES);
    x.reply.setInt(opened + FuseLayout.OPEN_OUT_FLAGS, x.openFlags());
  }

  void link() throws IOException {
    x.request.require(FuseLayout.LINK_BYTES);
    long inode = x.nodes.swap(x.request.longAt(0));
    x.tree.link(x.caller(), inode, x.inode(), x.request.name(FuseLayout.LINK_BYTES));
    entry(inode);
  }

  // ---- moving and removing ----------------------------------------------------------------------

  void unlink() throws IOException {
    byte[] name = x.request.name(0);
    long directory = x.inode();
    x.nodes.removing(directory, name, () -> x.tree.unlink(x.caller(), directory, name));
    x.lostName(directory);
  }

  void rmdir() throws IOException {
    byte[] name = x.request.name(0);
    long directory = x.inode();
    x.nodes.removing(directory, name, () -> x.tree.rmdir(x.caller(), directory, name));
    x.lostName(directory);
  }

  void rename() throws IOException {
    x.request.require(FuseLayout.RENAME_BYTES);
    rename(FuseLayout.RENAME_BYTES, 0);
  }

  void rename2() throws IOException {
    x.request.require(FuseLayout.RENAME2_BYTES);
    rename(FuseLayout.RENAME2_BYTES, x.request.intAt(FuseLayout.RENAME2_FLAGS));
  }

  private void rename(int nameOffset, int flags) throws IOException {
    long from = x.inode();
    long to = x.nodes.swap(x.request.longAt(0));
    byte[] name = x.request.name(nameOffset);
    byte[] newName = x.request.name(nameOffset + name.length + 1);
    if (flags != 0) {
      x.tree.rename(x.caller(), from, name, to, newName, flags); // replaces nothing
    } else {
      x.nodes.removing(to, newName, () -> x.tree.rename(x.caller(), from, name, to, newName, 0));
      x.lostName(to); // the name may belong to another file now
    }
    x.lostName(from);
  }

  void readLink() throws IOException {
    x.reply.bytes(x.tree.readLink(x.inode()));
  }
}
