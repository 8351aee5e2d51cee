package sluice.nfs.v4;

import java.io.IOException;
import sluice.fs.AttributeChange;
import sluice.fs.Caller;
import sluice.fs.FileAttributes;
import sluice.fs.FileKind;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.fs.NewFile;
import sluice.nfs.export.ExportedTree;
import sluice.nfs.export.FileRef;
import sluice.nfs.export.FileTypes;
import sluice.nfs.export.NewFiles;
import sluice.nfs.export.NfsException;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.rpc.XdrException;
import sluice.nfs.v4.wire.Nfs4Attribute;
import sluice.nfs.v4.wire.Nfs4RequestedAttributes;
import sluice.nfs.v4.wire.Nfs4Status;
import sluice.sys.Errno;

/// The operations that look up, create, link, remove and rename names (RFC 8881, section 18). These
/// methods are called by workers and by loops, which they never block.
final class Nfs4NameOperations {
  private static final byte[] PARENT = {'.', '.'};
  private static final int AUTH_SYS = 1;
  private static final int MAX_TARGET_BYTES = 8192;
  private static final int PLAIN_MODE = 0700;

  private final Nfs4Services services;

  Nfs4NameOperations(Nfs4Services services) {
    this.services = services;
  }

  // ---- lookups ----------------------------------------------------------------------------------

  int lookup(Nfs4Compound c) throws NfsException, IOException {
    byte[] name = c.name();
    c.file(find(c, c.file(), name));
    return NfsStatus.OK;
  }

  /// Looks up a name in a directory. This method may be called on the loop's thread.
  FileRef find(Nfs4Compound c, FileRef directory, byte[] name) throws NfsException, IOException {
    c.requireDirectory(directory);
    if (directory.export.exported().hides(directory.inode, name)) {
      throw new NfsException(NfsStatus.NOENT);
    }
    FileTree tree = Nfs4Compound.tree(directory);
    Caller caller = c.caller(directory);
    if (services.pseudo().contains(directory)) { // the directory may be covered by an export
      c.mayWait();
      long inode = tree.lookup(caller, directory.inode, name);
      return services.pseudo().cover(services.handles(), inode, c.call.client());
    }
    if (!c.now) {
      return found(c, directory, name);
    }
    FileAttributes found = directory.export.exported().tryFind(caller, directory, name);
    if (found == null) {
      throw Nfs4Compound.wouldWait();
    }
    if (found == ExportedTree.ABSENT) {
      throw new NfsException(NfsStatus.NOENT);
    }
    return ref(directory, found);
  }

  /// Looks up a name in a directory of an export on a worker. After the lookup, it checks that the
  /// inode of the directory was not reused.
  private FileRef found(Nfs4Compound c, FileRef directory, byte[] name)
      throws NfsException, IOException {
    FileTree tree = Nfs4Compound.tree(directory);
    FileAttributes found = tree.find(c.caller(directory), directory.inode, name);
    c.attributes(directory);
    return ref(directory, found);
  }

  private FileRef ref(FileRef directory, FileAttributes file) {
    return services.handles().ref(directory.export, file.inode(), file.generation());
  }

  int lookupParent(Nfs4Compound c) throws NfsException, IOException {
    c.mayWait();
    FileRef directory = c.file();
    // RFC 8881, section 15.2: LOOKUPP of a symbolic link returns SYMLINK.
    c.requireDirectory(directory);
    c.file(parent(c, directory));
    return NfsStatus.OK;
  }

  private FileRef parent(Nfs4Compound c, FileRef directory) throws NfsException, IOException {
    if (directory.inode == directory.export.rootInode()) {
      return services.pseudo().above(directory.export);
    }
    if (services.pseudo().contains(directory)) {
      return services.pseudo().above(directory.inode);
    }
    return found(c, directory, PARENT);
  }

  /// Executes SECINFO. AUTH_SYS can be used with every name that the caller may look up.
  int secInfo(Nfs4Compound c) throws NfsException, IOException {
    c.mayWait();
    byte[] name = c.name();
    requireDirectory(c, c.file());
    find(c, c.file(), name);
    return flavors(c);
  }

  int secInfoNoName(Nfs4Compound c) throws NfsException, IOException {
    c.mayWait();
    int style = c.in.int32();
    if (style != 0 && style != 1) {
      throw new XdrException("no secinfo_style4");
    }
    FileRef directory = c.file();
    if (style == 1) {
      requireDirectory(c, directory);
      parent(c, directory);
    }
    return flavors(c);
  }

  /// Checks that the current file is a directory, for SECINFO and SECINFO_NO_NAME. Both return
  /// NOTDIR for a symbolic link, because RFC 8881, section 15.2, does not list SYMLINK among their
  /// errors.
  private static void requireDirectory(Nfs4Compound c, FileRef directory)
      throws NfsException, IOException {
    if (!c.attributes(directory).isDirectory()) {
      throw new NfsException(NfsStatus.NOTDIR);
    }
  }

  private static int flavors(Nfs4Compound c) {
    c.out.int32(1).int32(AUTH_SYS);
    c.file = null; // section 2.6.3.1.1.8: the operation consumes the current file handle
    c.stateId = StateId.ANONYMOUS;
    return NfsStatus.OK;
  }

  // ---- creating ---------------------------------------------------------------------------------

  int create(Nfs4Compound c) throws NfsException, IOException {
    c.mayWait();
    FileKind kind = FileTypes.kind(c.in.int32());
    byte[] target = null;
    int major = 0;
    int minor = 0;
    switch (kind) {
      case SYMLINK -> target = c.in.opaque(MAX_TARGET_BYTES);
      case BLOCK_DEVICE, CHARACTER_DEVICE -> {
        major = c.in.int32();
        minor = c.in.int32();
      }
      case DIRECTORY, SOCKET, FIFO -> {}
      default -> {
        return NfsStatus.BADTYPE;
      }
    }
    byte[] name = c.name();
    Nfs4RequestedAttributes requested = Nfs4RequestedAttributes.read(c.in);
    FileRef directory = c.file();
    c.requireDirectory(directory);
    if (target != null && (target.length == 0 || holdsNul(target))) {
      return NfsStatus.INVAL;
    }
    if (major >>> 12 != 0 || minor >>> 20 != 0 || requested.has(Nfs4Attribute.SIZE)) {
      return NfsStatus.INVAL;
    }
    requireFree(directory, name);
    int permissions = requested.permissions(PLAIN_MODE);
    NewFile what =
        target != null
            ? NewFile.symlink(target)
            : kind == FileKind.DIRECTORY
                ? NewFile.directory(permissions)
                : NewFile.device(kind, permissions, major, minor);
    FileAttributes[] made = new FileAttributes[1];
    Nfs4Change.run(
        c,
        directory,
        () -> made[0] = make(c, directory, name, what, requested.change()),
        (info, _) -> {
          info.write(c.out);
          requested.asked().write(c.out);
          c.file(ref(directory, made[0]));
        });
    return NfsStatus.OK;
  }

  private static boolean holdsNul(byte[] bytes) {
    for (byte b : bytes) {
      if (b == 0) {
        return true;
      }
    }
    return false;
  }

  /// Checks that a name is not reserved for the server's own files.
  ///
  /// @throws NfsException `ACCES` if the name is reserved
  static void requireFree(FileRef directory, byte[] name) throws NfsException {
    if (directory.export.exported().hides(directory.inode, name)) {
      throw new NfsException(NfsStatus.ACCES);
    }
  }

  /// Creates a file and sets all its attributes. If either step fails, no file is created. This
  /// method must be called within the group of an [Nfs4Change].
  ///
  /// @return the attributes of the new file, read before another caller can remove it
  static FileAttributes make(
      Nfs4Compound c, FileRef directory, byte[] name, NewFile what, AttributeChange asked)
      throws IOException {
    FileTree tree = Nfs4Compound.tree(directory);
    return NewFiles.make(tree, c.caller(directory), directory.inode, name, what, asked);
  }

  int link(Nfs4Compound c) throws NfsException, IOException {
    c.mayWait();
    byte[] name = c.name();
    FileRef file = c.saved();
    FileRef directory = c.file();
    c.requireDirectory(directory);
    if (c.attributes(file).isDirectory()) {
      return NfsStatus.ISDIR;
    }
    requireFree(directory, name);
    FileTree tree = Nfs4Compound.tree(file);
    Nfs4Change.run(
        c,
        directory,
        file,
        () -> tree.link(c.caller(directory), file.inode, directory.inode, name),
        (info, _) -> info.write(c.out));
    return NfsStatus.OK;
  }

  // ---- removing ---------------------------------------------------------------------------------

  int remove(Nfs4Compound c) throws NfsException, IOException {
    c.mayWait();
    byte[] name = c.name();
    FileRef directory = c.file();
    c.requireDirectory(directory);
    requireNoGrace();
    if (directory.export.exported().hides(directory.inode, name)) {
      return NfsStatus.NOENT;
    }
    FileTree tree = Nfs4Compound.tree(directory);
    Caller caller = c.caller(directory);
    Nfs4Change.run(
        c,
        directory,
        () -> removeEither(tree, caller, directory.inode, name),
        (info, _) -> info.write(c.out));
    return NfsStatus.OK;
  }

  private static void removeEither(FileTree tree, Caller caller, long directory, byte[] name)
      throws IOException {
    try {
      tree.unlink(caller, directory, name);
    } catch (FsException e) {
      if (e.errno() != Errno.EISDIR) {
        throw e;
      }
      tree.rmdir(caller, directory, name);
    }
  }

  int rename(Nfs4Compound c) throws NfsException, IOException {
    c.mayWait();
    byte[] name = c.name();
    byte[] newName = c.name();
    FileRef from = c.saved();
    FileRef to = c.file();
    c.requireDirectory(from);
    c.requireDirectory(to);
    requireNoGrace();
    if (from.export.exported().hides(from.inode, name)) {
      return NfsStatus.NOENT;
    }
    requireFree(to, newName);
    FileTree tree = Nfs4Compound.tree(from);
    Caller caller = c.caller(from);
    Nfs4Change.run(
        c,
        from,
        to,
        () -> tree.rename(caller, from.inode, name, to.inode, newName, 0),
        (source, target) -> {
          source.write(c.out);
          target.write(c.out);
        });
    return NfsStatus.OK;
  }

  /// Checks that the grace period is over. During the grace period, a file that a client may
  /// reclaim must not be removed or renamed.
  private void requireNoGrace() throws NfsException {
    if (services.stateManager().grace.isActive()) {
      throw new NfsException(Nfs4Status.GRACE);
    }
  }
}
