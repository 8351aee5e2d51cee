package sluice.nfs.v3;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import sluice.fs.AttributeChange;
import sluice.fs.Caller;
import sluice.fs.FileAttributes;
import sluice.fs.FileKind;
import sluice.fs.FileNames;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.fs.NewFile;
import sluice.nfs.export.FileRef;
import sluice.nfs.export.FileTypes;
import sluice.nfs.export.NewFiles;
import sluice.nfs.export.NfsException;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.rpc.XdrException;
import sluice.sys.Errno;

/// The procedures that create names: CREATE, MKDIR, SYMLINK, MKNOD and LINK. This class is
/// stateless, and its methods are called by workers.
final class Nfs3Names {
  private static final int UNCHECKED = 0;
  private static final int EXCLUSIVE = 2;

  private static final long NANOS = 1_000_000_000L;

  private Nfs3Names() {}

  /// Reads the name of a new directory entry.
  ///
  /// @throws NfsException `EXIST` for `.` and `..`, `ACCES` for a name that is reserved for the
  ///   server
  static byte[] newName(Nfs3Call call, FileRef directory) throws NfsException {
    byte[] name = call.name();
    if (FileNames.isDots(name)) {
      throw new NfsException(NfsStatus.EXIST);
    }
    if (directory.export.exported().hides(directory.inode, name)) {
      throw new NfsException(NfsStatus.ACCES);
    }
    return name;
  }

  static void create(Nfs3Call call) throws IOException, NfsException {
    FileRef directory = call.handle();
    byte[] name = newName(call, directory);
    int how = call.in.int32();
    if (how < UNCHECKED || how > EXCLUSIVE) {
      throw new XdrException("no createmode3");
    }
    AttributeChange asked =
        how == EXCLUSIVE ? verifier(call.in.int64()) : Nfs3Attributes.change(call.in);
    Nfs3Change.run(
        call,
        directory,
        frame -> {
          FileAttributes existing = find(call, directory, name);
          if (existing != null) { // such a call is idempotent
            useExisting(frame, existing, how, asked);
          } else {
            NewFile what = NewFile.regular(asked.mode());
            frame.grouped(() -> make(call, directory, name, what, asked));
          }
        });
  }

  /// Encodes the verifier of an exclusive creation as the times of the file, which survive a crash.
  /// The client sets the actual times afterwards.
  private static AttributeChange verifier(long verifier) {
    long access = (verifier & 0x7FFF_FFFF) * NANOS;
    long modify = (verifier >>> 32 & 0x7FFF_FFFF) * NANOS;
    return AttributeChange.NONE.withAccess(access).withModify(modify);
  }

  private static @Nullable FileAttributes find(Nfs3Call call, FileRef directory, byte[] name)
      throws IOException {
    try {
      return Nfs3Call.tree(directory).find(call.caller(directory), directory.inode, name);
    } catch (FsException e) {
      if (e.errno() != Errno.ENOENT) {
        throw e;
      }
      return null;
    }
  }

  private static void useExisting(
      Nfs3Change frame, FileAttributes now, int how, AttributeChange asked)
      throws IOException, NfsException {
    boolean same =
        now.sizeBytes() == 0
            && now.accessNanos() == asked.accessNanos()
            && now.modifyNanos() == asked.modifyNanos();
    boolean usable = how == UNCHECKED || (how == EXCLUSIVE && same);
    if (!usable || now.kind() != FileKind.REGULAR) {
      throw new NfsException(NfsStatus.EXIST);
    }
    Nfs3Call call = frame.call();
    FileRef directory = frame.directory();
    if (how == UNCHECKED && asked.has(AttributeChange.SIZE)) {
      resize(call, directory, now, asked.sizeBytes());
    } else {
      frame.unchanged();
      answer(call, directory, now);
    }
  }

  /// Changes the length of an existing file.
  private static void resize(Nfs3Call call, FileRef directory, FileAttributes found, long sizeBytes)
      throws IOException, NfsException {
    FileTree tree = Nfs3Call.tree(directory);
    AttributeChange resize =
        call.owns(directory, found)
            ? AttributeChange.NONE.withSizeOfOpened(sizeBytes)
            : AttributeChange.NONE.withSize(sizeBytes);
    tree.retain(found.inode());
    try {
      if (tree.attributes(found.inode()).generation() != found.generation()) {
        // The file has been removed and its inode number has been reused.
        throw new NfsException(NfsStatus.JUKEBOX);
      }
      tree.setAttributes(call.caller(directory), found.inode(), resize);
      answer(call, directory, tree.attributes(found.inode()));
    } finally {
      tree.release(found.inode());
    }
  }

  private static void answer(Nfs3Call call, FileRef directory, FileAttributes made) {
    call.status(NfsStatus.OK);
    call.out.bool(true);
    call.handle(directory.export, made);
    call.postOp(directory, made);
    call.wcc(directory);
  }

  /// Creates a file and sets all its attributes. If either step fails, no file is created.
  private static void make(
      Nfs3Call call, FileRef directory, byte[] name, NewFile what, AttributeChange asked)
      throws IOException, NfsException {
    FileTree tree = Nfs3Call.tree(directory);
    Caller caller = call.caller(directory);
    answer(call, directory, NewFiles.make(tree, caller, directory.inode, name, what, asked));
  }

  private static void change(
      Nfs3Call call, FileRef directory, byte[] name, NewFile what, AttributeChange asked)
      throws IOException, NfsException {
    Nfs3Change.run(
        call, directory, frame -> frame.grouped(() -> make(call, directory, name, what, asked)));
  }

  static void mkdir(Nfs3Call call) throws IOException, NfsException {
    FileRef directory = call.handle();
    byte[] name = newName(call, directory);
    AttributeChange asked = Nfs3Attributes.change(call.in);
    change(call, directory, name, NewFile.directory(asked.mode()), asked);
  }

  static void symlink(Nfs3Call call) throws IOException, NfsException {
    FileRef directory = call.handle();
    byte[] name = newName(call, directory);
    AttributeChange asked = Nfs3Attributes.change(call.in);
    byte[] target = call.string();
    if (target.length == 0 || contains(target, (byte) 0)) {
      throw new NfsException(NfsStatus.INVAL);
    }
    change(call, directory, name, NewFile.symlink(target), asked);
  }

  private static boolean contains(byte[] bytes, byte sought) {
    for (byte b : bytes) {
      if (b == sought) {
        return true;
      }
    }
    return false;
  }

  static void mknod(Nfs3Call call) throws IOException, NfsException {
    FileRef directory = call.handle();
    byte[] name = newName(call, directory);
    FileKind kind = FileTypes.kind(call.in.int32());
    switch (kind) {
      case SOCKET, FIFO -> {
        AttributeChange asked = Nfs3Attributes.change(call.in);
        change(call, directory, name, NewFile.device(kind, asked.mode(), 0, 0), asked);
      }
      case CHARACTER_DEVICE, BLOCK_DEVICE -> {
        AttributeChange asked = Nfs3Attributes.change(call.in);
        int major = call.in.int32();
        int minor = call.in.int32();
        if (major >>> 12 != 0 || minor >>> 20 != 0) {
          throw new NfsException(NfsStatus.INVAL); // more bits than any file system stores
        }
        change(call, directory, name, NewFile.device(kind, asked.mode(), major, minor), asked);
      }
      default -> throw new NfsException(NfsStatus.BADTYPE);
    }
  }

  static void link(Nfs3Call call) throws IOException, NfsException {
    FileRef file = call.handle();
    FileRef directory = call.handle();
    byte[] name = newName(call, directory);
    Nfs3Change.run(
        call,
        file,
        directory,
        frame ->
            frame.grouped(() -> {
              FileTree tree = Nfs3Call.tree(file);
              tree.link(call.caller(directory), file.inode, directory.inode, name);
              call.status(NfsStatus.OK);
              call.postOp(file);
              call.wcc(directory);
            }));
  }
}
