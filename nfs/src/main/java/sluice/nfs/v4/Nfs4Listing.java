package sluice.nfs.v4;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import sluice.fs.FileAttributes;
import sluice.fs.FileNames;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.nfs.export.ExportedTree;
import sluice.nfs.export.FileRef;
import sluice.nfs.export.NfsException;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.v4.wire.Bitmap;
import sluice.nfs.v4.wire.Nfs4Attribute;
import sluice.nfs.v4.wire.Nfs4Channel;
import sluice.sys.Errno;

/// Executes READDIR (RFC 8881, section 18.23). Called by workers.
///
/// A cookie is the cookie of the file tree plus two, because NFSv4 reserves the values 1 and 2.
/// Cookies remain valid when names are added or removed and when the server is restarted. Therefore
/// the cookie verifier is always 0.
final class Nfs4Listing {
  private static final long RESERVED_COOKIES = 2;

  /// The number of names that are read before the attributes of their files are looked up.
  private static final int BATCH = 128;

  /// The size of the result without its entries, which includes the verifier, the end of the list,
  /// and `eof`.
  private static final int FRAME_BYTES = 8 + 4 + 4;

  /// The size of an entry without its name and attributes, which includes a flag that an entry
  /// follows, the cookie, and the length of the name.
  private static final int NAME_BYTES = 4 + 8 + 4;

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Entry(long inode, byte[] name, long next) {}

  private final Nfs4Services services;

  Nfs4Listing(Nfs4Services services) {
    this.services = services;
  }

  /// A listing in progress.
  private static final class Page {
    final Bitmap asked;
    private final int end;
    private long names;
    int count;

    /// The version of the directory before the current batch of names was read.
    long version;

    /// Creates a page.
    ///
    /// @param end the maximum end position of the last entry in the reply
    /// @param names the client's hint (`dircount`): the number of bytes for names and cookies
    Page(Bitmap asked, int end, long names) {
      this.asked = asked;
      this.end = end;
      this.names = names;
    }

    /// Returns true if the hint allows another name to be added. The first name is always allowed.
    boolean takes(byte[] name) {
      names -= NAME_BYTES + (name.length + 3 & ~3);
      return names >= 0 || count == 0;
    }
  }

  int readDir(Nfs4Compound c) throws NfsException, IOException {
    c.mayWait();
    long cookie = c.in.int64();
    c.in.int64(); // the verifier
    long nameBytes = c.in.uint32();
    long most = c.in.uint32();
    Bitmap asked = Bitmap.read(c.in);
    FileRef directory = c.file();
    if (!c.attributes(directory).isDirectory()) {
      return NfsStatus.NOTDIR;
    }
    if (asked.intersects(Nfs4Attribute.WRITE_ONLY)) {
      return NfsStatus.INVAL;
    }
    c.requireAccess(directory, FileTree.READ);
    if (cookie != 0 && Long.compareUnsigned(cookie, RESERVED_COOKIES) <= 0) {
      return NfsStatus.BAD_COOKIE;
    }
    int room = (int) Math.min(Math.min(most, Nfs4Channel.MAX_CONTENT_BYTES), c.room());
    int end = c.out.position() + room - FRAME_BYTES + 8;
    if (room < FRAME_BYTES) {
      return NfsStatus.TOOSMALL;
    }
    Page page = new Page(asked, end, nameBytes == 0 ? Long.MAX_VALUE : nameBytes);
    c.out.int64(0);
    FileTree tree = Nfs4Compound.tree(directory);
    tree.retain(directory.inode); // its inode number cannot be reused while it is retained
    boolean whole;
    try {
      whole = write(c, directory, cookie == 0 ? 0 : cookie - RESERVED_COOKIES, page);
    } finally {
      tree.release(directory.inode);
    }
    if (!whole && page.count == 0) {
      return NfsStatus.TOOSMALL;
    }
    c.out.bool(false).bool(whole);
    return NfsStatus.OK;
  }

  /// Writes entries until the page is full.
  ///
  /// @return true if the end of the directory was reached
  private boolean write(Nfs4Compound c, FileRef directory, long cookie, Page page)
      throws NfsException, IOException {
    FileTree tree = Nfs4Compound.tree(directory);
    long at = cookie;
    while (true) {
      page.version = c.attributes(directory).version();
      List<Entry> batch = new ArrayList<>();
      boolean last = list(tree, directory, at, batch);
      for (Entry entry : batch) {
        int before = c.out.position();
        if (!page.takes(entry.name) || !entry(c, directory, entry, page)) {
          c.out.truncate(before);
          return false;
        }
        page.count++;
        at = entry.next;
      }
      if (last) {
        return true;
      }
    }
  }

  private static boolean list(FileTree tree, FileRef directory, long cookie, List<Entry> batch)
      throws NfsException, IOException {
    ExportedTree exported = directory.export.exported();
    try {
      return tree.list(
          directory.inode,
          cookie,
          (inode, _, name, next) -> {
            boolean hidden = FileNames.isDots(name);
            if (hidden || exported.hides(directory.inode, name)) {
              return true;
            }
            return batch.size() < BATCH && batch.add(new Entry(inode, name, next));
          });
    } catch (FsException e) {
      if (e.errno() == Errno.EINVAL) {
        throw new NfsException(NfsStatus.BAD_COOKIE);
      }
      throw e;
    }
  }

  /// Writes one entry. An entry that has been removed in the meantime is skipped.
  ///
  /// @return false if the entry does not fit
  private boolean entry(Nfs4Compound c, FileRef directory, Entry entry, Page page)
      throws NfsException, IOException {
    int least = NAME_BYTES + entry.name.length + 8;
    if (c.out.position() + least > page.end) {
      return false;
    }
    int start = c.out.position();
    c.out.bool(true).int64(entry.next + RESERVED_COOKIES).opaque(entry.name);
    int at = c.out.position();
    try {
      if (!attributes(c, directory, entry, page)) {
        c.out.truncate(start); // removed after it was listed
        return true;
      }
    } catch (NfsException | FsException e) {
      if (e instanceof FsException gone && gone.errno() == Errno.ESTALE) {
        c.out.truncate(start); // removed after it was listed
        return true;
      }
      if (!page.asked.has(Nfs4Attribute.RDATTR_ERROR)) {
        throw e;
      }
      c.out.truncate(at);
      int status = e instanceof NfsException n ? n.status() : NfsStatus.of((FsException) e);
      Nfs4Attributes.writeError(c.out, status);
    }
    return c.out.position() <= page.end;
  }

  /// Writes the attributes of a file that has been listed.
  ///
  /// @return false if the file has been removed
  private boolean attributes(Nfs4Compound c, FileRef directory, Entry entry, Page page)
      throws NfsException, IOException {
    FileAttributes a;
    FileRef file;
    if (services.pseudo().contains(directory)) {
      file = services.pseudo().cover(services.handles(), entry.inode, c.call.client());
      a = Nfs4Compound.tree(file).attributes(file.inode);
    } else {
      ExportedTree exported = directory.export.exported();
      a = exported.listed(directory, page.version, entry.inode, entry.name);
      if (a == null) {
        return false;
      }
      file = services.handles().ref(directory.export, a.inode(), a.generation());
    }
    services.attributes().write(c.out, page.asked, file, a);
    return true;
  }
}
