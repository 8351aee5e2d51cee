package sluice.fs.fuse;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import sluice.fs.DirectorySink;
import sluice.fs.FileAttributes;
import sluice.fs.FileKind;
import sluice.fs.FileNames;
import sluice.fs.FsException;
import sluice.sys.Errno;

/// Handles READDIR and READDIRPLUS. Confined to one worker.
final class FuseDirectories implements DirectorySink {
  private final FuseExchange x;
  private final FuseAttributes attributes;
  private boolean plus;
  private int room;
  private @Nullable IOException failure;

  FuseDirectories(FuseExchange exchange, FuseAttributes attributes) {
    x = exchange;
    this.attributes = attributes;
  }

  /// Reads entries of a directory.
  ///
  /// @param withAttributes true to include the reply of a LOOKUP for each name
  void read(boolean withAttributes) throws IOException {
    x.request.require(FuseLayout.IO_BYTES);
    int size = x.request.intAt(FuseLayout.IO_SIZE);
    plus = withAttributes;
    room = size < 0 ? FuseReply.MAX_BODY_BYTES : Math.min(size, FuseReply.MAX_BODY_BYTES);
    failure = null;
    x.reply.body(0);
    try {
      x.tree.list(x.inode(), x.request.longAt(FuseLayout.IO_OFFSET), this);
    } catch (IOException e) {
      // The error is reported when the kernel continues the listing after it has received the
      // entries that were read so far.
      failure = e;
    }
    IOException failed = failure;
    if (failed != null && x.reply.bodyBytes() == 0) {
      throw failed;
    }
    if (x.reply.bodyBytes() == 0) {
      x.listed(x.inode());
    }
  }

  @Override
  public boolean entry(long inode, FileKind kind, byte[] name, long next) {
    int head = plus ? FuseLayout.ENTRY_BYTES : 0;
    int bytes = FuseLayout.padded(head + FuseLayout.DIRENT_NAME + name.length);
    if (x.reply.bodyBytes() + bytes > room) {
      return false;
    }
    FileKind shown = kind;
    FileAttributes a = plus && !FileNames.isDots(name) ? toldOf(inode) : null;
    if (failure != null) {
      return false;
    }
    int at = x.reply.append(bytes);
    if (a != null) {
      attributes.putEntry(at, a);
      shown = a.kind();
    }
    int entry = at + head;
    x.reply.setLong(entry + FuseLayout.DIRENT_INO, inode);
    x.reply.setLong(entry + FuseLayout.DIRENT_OFF, next);
    x.reply.setInt(entry + FuseLayout.DIRENT_NAMELEN, name.length);
    x.reply.setInt(entry + FuseLayout.DIRENT_TYPE, shown.modeBits() >> 12);
    x.reply.setBytes(entry + FuseLayout.DIRENT_NAME, name);
    return true;
  }

  /// Returns the attributes of an inode for an entry. The lookup is counted before the attributes
  /// are read, as for LOOKUP.
  ///
  /// @return the attributes, or null if the file has just been removed, in which case only the name
  ///   is sent to the kernel
  private @Nullable FileAttributes toldOf(long inode) {
    try {
      x.nodes.told(inode);
    } catch (IOException e) {
      failure = e instanceof FsException f && f.errno() == Errno.ESTALE ? null : e;
      return null;
    }
    FileAttributes a = attributesOf(inode);
    if (a == null || a.links() == 0) {
      try {
        x.forget(x.nodes.swap(inode), 1);
      } catch (IOException e) {
        failure = e;
      }
      return null;
    }
    return a;
  }

  private @Nullable FileAttributes attributesOf(long inode) {
    try {
      return x.attributes(inode);
    } catch (FsException e) {
      if (e.errno() != Errno.ESTALE) {
        failure = e;
      }
      return null;
    } catch (IOException e) {
      failure = e;
      return null;
    }
  }

  /// Reverts the lookup counts of a reply that was not accepted by the kernel.
  void untell() throws IOException {
    // All entries of the reply are still in the reply buffer.
    int at = 0;
    while (plus && at < x.reply.bodyBytes()) {
      long node = x.reply.longAt(at + FuseLayout.ENTRY_NODEID);
      if (node != 0) {
        x.forget(node, 1);
      }
      int name = x.reply.intAt(at + FuseLayout.ENTRY_BYTES + FuseLayout.DIRENT_NAMELEN);
      at += FuseLayout.padded(FuseLayout.ENTRY_BYTES + FuseLayout.DIRENT_NAME + name);
    }
  }
}
