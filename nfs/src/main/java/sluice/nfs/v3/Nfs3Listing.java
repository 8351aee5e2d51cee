package sluice.nfs.v3;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import sluice.fs.FileAttributes;
import sluice.fs.FileNames;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.nfs.export.Export;
import sluice.nfs.export.FileHandles;
import sluice.nfs.export.FileRef;
import sluice.nfs.export.NfsException;
import sluice.nfs.export.NfsStatus;
import sluice.sys.Errno;

/// Executes READDIR and READDIRPLUS. This class is stateless, and its methods are called by
/// workers.
///
/// The cookies are those of the file tree. They remain valid when names are added or removed and
/// when the server is restarted. The cookie verifier only detects that an inode number now belongs
/// to another directory.
final class Nfs3Listing {
  /// The size of the result without its entries, which includes the status, the attributes, the
  /// verifier, the end of the list, and `eof`.
  private static final int FRAME_BYTES = 4 + Nfs3Attributes.POST_OP_BYTES + 8 + 4 + 4;

  /// The size of an entry without its name, which includes a flag that an entry follows, the inode
  /// number, the length of the name, and the cookie.
  private static final int NAME_BYTES = 4 + 8 + 4 + 8;

  /// Returns the maximum size of the attributes and the handle of an entry.
  private static int plusBytes(Export export) {
    return Nfs3Attributes.POST_OP_BYTES + 4 + FileHandles.xdrBytes(export);
  }

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Entry(long inode, byte[] name, long next) {}

  /// A listing that collects entries until a limit is reached.
  private static final class Page {
    final List<Entry> entries = new ArrayList<>();
    private final FileRef directory;
    private final boolean plus;
    private final int plusBytes;
    private long names;
    private long bytes;
    private boolean tooSmall;

    /// Creates an empty page.
    ///
    /// @param names the maximum number of bytes for names and cookies
    /// @param bytes the maximum number of bytes for all entries
    Page(FileRef directory, boolean plus, long names, long bytes) {
      this.directory = directory;
      this.plus = plus;
      plusBytes = plus ? plusBytes(directory.export) : 0;
      this.names = names;
      this.bytes = bytes;
    }

    boolean add(long inode, byte[] name, long next) {
      if (directory.export.exported().hides(directory.inode, name)) {
        return true;
      }
      int own = NAME_BYTES + (name.length + 3 & ~3);
      names -= own;
      bytes -= own + plusBytes;
      if (bytes < 0 || (names < 0 && !entries.isEmpty())) {
        tooSmall = entries.isEmpty();
        return false;
      }
      boolean above = directory.inode == directory.export.rootInode() && FileNames.isDotDot(name);
      entries.add(new Entry(above ? directory.inode : inode, name, next));
      return true;
    }
  }

  private Nfs3Listing() {}

  static void readdir(Nfs3Call call) throws IOException, NfsException {
    FileRef directory = call.handle();
    long cookie = call.in.int64();
    long verifier = call.in.int64();
    long count = call.in.uint32();
    list(call, cookie, verifier, new Page(directory, false, count, room(call, count)));
  }

  static void readdirplus(Nfs3Call call) throws IOException, NfsException {
    FileRef directory = call.handle();
    long cookie = call.in.int64();
    long verifier = call.in.int64();
    long names = call.in.uint32();
    long count = call.in.uint32();
    list(call, cookie, verifier, new Page(directory, true, names, room(call, count)));
  }

  private static long room(Nfs3Call call, long count) {
    return Math.min(Math.min(count, Nfs3System.MAX_TRANSFER_BYTES), call.out.remaining())
        - FRAME_BYTES;
  }

  private static void list(Nfs3Call call, long cookie, long verifier, Page page)
      throws IOException, NfsException {
    FileRef directory = page.directory;
    FileTree tree = Nfs3Call.tree(directory);
    tree.retain(directory.inode); // its inode number cannot be reused while it is retained
    try {
      listHeld(call, cookie, verifier, page);
    } finally {
      tree.release(directory.inode);
    }
  }

  private static void listHeld(Nfs3Call call, long cookie, long verifier, Page page)
      throws IOException, NfsException {
    FileRef directory = page.directory;
    FileAttributes now = Nfs3Call.attributes(directory);
    if (!now.isDirectory()) {
      throw new NfsException(NfsStatus.NOTDIR);
    }
    call.requireAny(directory, FileTree.READ);
    long ours = (long) directory.generation << 32 | 0x534C;
    if (cookie < 0 || (cookie != 0 && verifier != ours)) {
      throw new NfsException(NfsStatus.BAD_COOKIE);
    }
    boolean end = list(Nfs3Call.tree(directory), directory.inode, cookie, page);
    if (page.tooSmall) {
      throw new NfsException(NfsStatus.TOOSMALL);
    }
    call.status(NfsStatus.OK);
    call.postOp(directory, now);
    call.out.int64(ours);
    for (Entry entry : page.entries) {
      write(call, entry, page, now.version());
    }
    call.out.bool(false).bool(end);
  }

  private static boolean list(FileTree tree, long inode, long cookie, Page page)
      throws IOException, NfsException {
    try {
      return tree.list(inode, cookie, (found, _, name, next) -> page.add(found, name, next));
    } catch (FsException e) {
      if (e.errno() == Errno.EINVAL) {
        throw new NfsException(NfsStatus.BAD_COOKIE);
      }
      throw e;
    }
  }

  private static void write(Nfs3Call call, Entry entry, Page page, long version)
      throws IOException {
    FileRef directory = page.directory;
    FileAttributes now =
        page.plus
            ? directory.export.exported().listed(directory, version, entry.inode, entry.name)
            : null;
    long inode = now == null ? entry.inode : now.inode();
    call.out.bool(true).int64(inode).opaque(entry.name).int64(entry.next);
    if (!page.plus) {
      return;
    }
    call.postOp(directory, now);
    call.out.bool(now != null);
    if (now != null) {
      call.handle(directory.export, now);
    }
  }
}
