package sluice.fs.fuse;

import java.io.IOException;
import sluice.fs.Caller;
import sluice.fs.FsException;
import sluice.sys.Errno;

/// Handles extended attributes: GETXATTR, LISTXATTR, SETXATTR, REMOVEXATTR. Confined to one worker.
final class FuseXattrs {
  private final FuseExchange x;

  FuseXattrs(FuseExchange exchange) {
    x = exchange;
  }

  void get() throws IOException {
    x.request.require(FuseLayout.XATTR_BYTES);
    byte[] name = x.request.name(FuseLayout.XATTR_BYTES);
    answer(x.tree.extendedAttribute(x.caller(), x.inode(), name));
  }

  void list() throws IOException {
    x.request.require(FuseLayout.XATTR_BYTES);
    // only root sees trusted attributes
    Caller asking = new Caller(x.request.uid(), x.request.gid());
    answer(x.tree.extendedAttributes(asking, x.inode()));
  }

  /// Replies with the value, or with its length if the caller did not provide a buffer.
  private void answer(byte[] value) throws FsException {
    int room = x.request.intAt(FuseLayout.XATTR_SIZE);
    if (room == 0) {
      x.reply.body(FuseLayout.XATTR_BYTES);
      x.reply.setInt(FuseLayout.XATTR_SIZE, value.length);
    } else if (Integer.compareUnsigned(value.length, room) > 0
        || value.length > FuseReply.MAX_BODY_BYTES) {
      throw FsException.of(Errno.ERANGE, "an attribute of " + value.length + " bytes");
    } else {
      x.reply.bytes(value);
    }
  }

  void set() throws IOException {
    int header =
        x.session.agreed(FuseOpcode.SETXATTR_EXT)
            ? FuseLayout.XATTR_EXTENDED_BYTES
            : FuseLayout.XATTR_BYTES;
    x.request.require(header);
    byte[] name = x.request.name(header);
    byte[] value =
        x.request.bytes(header + name.length + 1, x.request.intAt(FuseLayout.XATTR_SIZE));
    int flags = x.request.intAt(FuseLayout.XATTR_FLAGS);
    x.tree.setExtendedAttribute(x.caller(), x.inode(), name, value, flags);
  }

  void remove() throws IOException {
    x.tree.removeExtendedAttribute(x.caller(), x.inode(), x.request.name(0));
  }
}
