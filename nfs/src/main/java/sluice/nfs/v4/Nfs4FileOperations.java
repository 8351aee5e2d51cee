package sluice.nfs.v4;

import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import sluice.fs.AttributeChange;
import sluice.fs.FileAttributes;
import sluice.fs.FileKind;
import sluice.fs.FileTree;
import sluice.memory.Memory;
import sluice.nfs.export.AccessRights;
import sluice.nfs.export.ExportedTree;
import sluice.nfs.export.FileRef;
import sluice.nfs.export.NfsException;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.export.StableHow;
import sluice.nfs.rpc.XdrWriter;
import sluice.nfs.v4.wire.Bitmap;
import sluice.nfs.v4.wire.Nfs4Attribute;
import sluice.nfs.v4.wire.Nfs4Channel;
import sluice.nfs.v4.wire.Nfs4RequestedAttributes;
import sluice.nfs.v4.wire.Nfs4Status;

/// The operations on the current file, its attributes and its content (RFC 8881, section 18). These
/// methods are called by workers and by loops, which they never block.
final class Nfs4FileOperations {
  private static final int VERIFIED_BYTES = 64 << 10;

  private final Nfs4Services services;

  Nfs4FileOperations(Nfs4Services services) {
    this.services = services;
  }

  // ---- the current file -------------------------------------------------------------------------

  int putRootFh(Nfs4Compound c) throws NfsException, IOException {
    c.mayWait();
    FileRef root = services.pseudo().root(services.handles());
    if (!root.export.allows(c.call.client())) {
      return NfsStatus.ACCES;
    }
    c.file(root);
    return NfsStatus.OK;
  }

  int putFh(Nfs4Compound c) throws NfsException, IOException {
    FileRef file = services.pseudo().readHandle(services.handles(), c.in);
    if (!c.now) {
      file.recall();
    }
    if (!file.export.allows(c.call.client())) {
      return NfsStatus.ACCES;
    }
    c.attributes(file); // throws STALE if the file was removed
    c.file(file);
    return NfsStatus.OK;
  }

  int getFh(Nfs4Compound c) throws NfsException {
    services.pseudo().writeHandle(c.out, c.file());
    return NfsStatus.OK;
  }

  int saveFh(Nfs4Compound c) throws NfsException {
    c.saved = c.file();
    c.savedStateId = c.stateId;
    return NfsStatus.OK;
  }

  int restoreFh(Nfs4Compound c) throws NfsException {
    c.file = c.saved();
    c.stateId = c.savedStateId;
    return NfsStatus.OK;
  }

  // ---- attributes -------------------------------------------------------------------------------

  int getAttr(Nfs4Compound c) throws NfsException, IOException {
    Bitmap asked = Bitmap.read(c.in);
    FileRef file = c.file();
    if (asked.intersects(Nfs4Attribute.WRITE_ONLY)) {
      return NfsStatus.INVAL;
    }
    if (asked.intersects(Nfs4Attribute.OF_TREE)) {
      c.mayWait();
    }
    services.attributes().write(c.out, asked, file, c.attributes(file));
    return NfsStatus.OK;
  }

  /// Executes VERIFY and NVERIFY.
  ///
  /// @param same the status to return if the attributes of the file are the same
  /// @param different the status to return if they are different
  int verify(Nfs4Compound c, int same, int different) throws NfsException, IOException {
    c.mayWait();
    Bitmap asked = Bitmap.read(c.in);
    byte[] expected = c.in.opaque(VERIFIED_BYTES);
    FileRef file = c.file();
    if (!asked.without(Nfs4Attribute.SUPPORTED).isEmpty()) {
      return Nfs4Status.ATTRNOTSUPP;
    }
    if (asked.intersects(Nfs4Attribute.WRITE_ONLY) || asked.has(Nfs4Attribute.RDATTR_ERROR)) {
      return NfsStatus.INVAL;
    }
    XdrWriter attributes = new XdrWriter(VERIFIED_BYTES);
    services.attributes().write(attributes, asked, file, c.attributes(file));
    byte[] written = attributes.toBytes();
    byte[] are = Arrays.copyOfRange(written, written.length - lengthOf(written), written.length);
    return Arrays.equals(are, expected) ? same : different;
  }

  /// Returns the length of the attributes that follow the bitmap.
  private static int lengthOf(byte[] fattr) {
    int words = fattr[3];
    return fattr.length - 4 - 4 * words - 4;
  }

  int setAttr(Nfs4Compound c) throws NfsException, IOException {
    c.mayWait();
    StateId id = c.stateId();
    Nfs4RequestedAttributes requested = Nfs4RequestedAttributes.read(c.in);
    FileRef file = c.file();
    FileAttributes now = c.attributes(file);
    AttributeChange change = requested.change();
    Nfs4Change.Result result = (_, _) -> requested.asked().write(c.out);
    if (change.set() == 0) {
      requested.asked().write(c.out);
      return NfsStatus.OK;
    }
    boolean cuts = false;
    if (requested.has(Nfs4Attribute.SIZE)) {
      Nfs4Compound.requireRegular(now);
      Nfs4Open open = forContent(c, id, Nfs4Open.WRITE);
      if (open != null) {
        change = change.withSizeOfOpened(change.sizeBytes());
      }
      cuts = change.sizeBytes() < now.sizeBytes();
    }
    AttributeChange asked = change;
    FileTree tree = Nfs4Compound.tree(file);
    Nfs4Change.Step step = () -> tree.setAttributes(c.caller(file), file.inode, asked);
    if (cuts) {
      Nfs4Change.runLarge(c, file, step, result);
    } else {
      Nfs4Change.run(c, file, step, result);
    }
    return NfsStatus.OK;
  }

  int access(Nfs4Compound c) throws NfsException, IOException {
    int asked = c.in.int32();
    FileRef file = c.file();
    FileAttributes a = c.attributes(file);
    int known = a.isDirectory() ? 0x1F : 0x2D;
    int rights = AccessRights.rights(asked, a.isDirectory());
    long granted = Nfs4Compound.tree(file).tryAccess(c.caller(file), file.inode, rights);
    if (granted == FileTree.WOULD_BLOCK) {
      c.mayWait();
      granted = Nfs4Compound.tree(file).access(c.caller(file), file.inode, rights);
    }
    int answer =
        AccessRights.granted(asked, (int) granted, a.isDirectory(), file.export.readOnly());
    c.out.int32(asked & known).int32(answer & known);
    return NfsStatus.OK;
  }

  // ---- content ----------------------------------------------------------------------------------

  /// Returns the open that the client uses for reading or writing. For a special stateid, the
  /// caller's permissions are checked and null is returned.
  ///
  /// @param access the kind of access, which is one of the bits of [Nfs4Open]
  /// @throws NfsException `OPENMODE`, `LOCKED`, `GRACE`, `ACCES`, or the errors of the stateid
  private @Nullable Nfs4Open forContent(Nfs4Compound c, StateId id, int access)
      throws NfsException, IOException {
    FileRef file = c.file();
    if (!id.isSpecial()) {
      Nfs4Open open = services.stateManager().states.find(c.client(), id).open();
      Nfs4File.Key key = open.file.key;
      if (key.inode() != file.inode || key.tree() != Nfs4Compound.tree(file)) {
        throw new NfsException(Nfs4Status.BAD_STATEID);
      }
      if ((open.access & access) == 0) {
        throw new NfsException(Nfs4Status.OPENMODE);
      }
      return open;
    }
    c.mayWait();
    Nfs4StateManager stateManager = services.stateManager();
    if (stateManager.grace.isActive()) {
      throw new NfsException(Nfs4Status.GRACE);
    }
    boolean bypass = id.isBypass() && access == Nfs4Open.READ;
    if (!bypass && (stateManager.denied(Nfs4Compound.key(file)) & access) != 0) {
      throw new NfsException(Nfs4Status.LOCKED);
    }
    if (c.attributes(file).uid() != c.caller(file).uid()) {
      c.requireAccess(file, access == Nfs4Open.READ ? FileTree.READ : FileTree.WRITE);
    }
    return null;
  }

  int read(Nfs4Compound c) throws NfsException, IOException {
    StateId id = c.stateId();
    long position = c.in.int64();
    long asked = c.in.uint32();
    FileRef file = c.file();
    FileAttributes a = c.attributes(file);
    Nfs4Compound.requireRegular(a);
    forContent(c, id, Nfs4Open.READ);
    int frame = 8;
    int most = (int) Math.min(Math.min(asked, Nfs4Channel.MAX_CONTENT_BYTES), c.room() - frame - 4);
    if (most < 0) {
      return Nfs4Status.REP_TOO_BIG;
    }
    int head = c.out.position();
    c.out.bool(false).int32(0);
    long bytes = 0;
    if (most > 0 && position >= 0 && position < a.sizeBytes()) {
      bytes = slices(c, file, position, most);
    }
    boolean end = position < 0 || position + bytes >= a.sizeBytes();
    c.attributes(file); // throws STALE if the inode has been reused for another file
    c.out.pad();
    c.out.patch(head, end ? 1 : 0);
    c.out.patch(head + 4, (int) bytes);
    return NfsStatus.OK;
  }

  private static long slices(Nfs4Compound c, FileRef file, long position, int most)
      throws NfsException, IOException {
    FileTree tree = Nfs4Compound.tree(file);
    if (!c.now) {
      return tree.slices(file.inode, position, most, c.out);
    }
    long bytes = tree.tryRead(file.inode, position, most, c.out);
    if (bytes == FileTree.WOULD_BLOCK) {
      throw Nfs4Compound.wouldWait();
    }
    return bytes;
  }

  int write(Nfs4Compound c) throws NfsException, IOException {
    c.mayWait();
    StateId id = c.stateId();
    long position = c.in.int64();
    StableHow stable = StableHow.of(c.in.int32());
    Memory content = c.in.content(Nfs4Channel.MAX_MESSAGE_BYTES);
    int bytes = (int) content.lengthBytes();
    FileRef file = c.file();
    Nfs4Compound.requireRegular(c.attributes(file));
    forContent(c, id, Nfs4Open.WRITE);
    Nfs4Compound.requireWritable(file);
    if (position < 0 || position + bytes < 0) {
      return NfsStatus.FBIG;
    }
    int written = bytes == 0 ? 0 : write(c, file, position, content);
    if (stable != StableHow.UNSTABLE) {
      c.written(file, stable == StableHow.DATA_SYNC);
    }
    c.out.int32(written).int32(stable.number()).int64(services.writeVerifier());
    return NfsStatus.OK;
  }

  /// Writes data under the lock of the file, so that NFSv3 clients receive consistent attributes
  /// from before and after a change. The file is retained so that its inode number cannot be reused
  /// in the meantime.
  private static int write(Nfs4Compound c, FileRef file, long position, Memory content)
      throws NfsException, IOException {
    ExportedTree exported = file.export.exported();
    FileTree tree = exported.tree();
    int place = exported.lock(file.inode);
    try {
      tree.retain(file.inode);
      try {
        c.attributes(file);
        int bytes = (int) content.lengthBytes();
        return tree.write(c.caller(file), file.inode, position, content, 0, bytes);
      } finally {
        tree.release(file.inode);
      }
    } finally {
      exported.unlock(place);
    }
  }

  int commit(Nfs4Compound c) throws NfsException, IOException {
    c.mayWait();
    long position = c.in.int64();
    int count = c.in.int32();
    FileRef file = c.file();
    Nfs4Compound.requireRegular(c.attributes(file));
    if (position < 0 && position + (count & 0xFFFF_FFFFL) >= 0) {
      return NfsStatus.INVAL; // offset + count exceeds 2^64
    }
    if (!file.export.readOnly()) {
      c.written(file, false);
    }
    c.out.int64(services.writeVerifier());
    return NfsStatus.OK;
  }

  int readLink(Nfs4Compound c) throws NfsException, IOException {
    FileRef file = c.file();
    FileAttributes a = c.attributes(file);
    if (a.kind() != FileKind.SYMLINK) {
      return a.isDirectory() ? NfsStatus.ISDIR : Nfs4Status.WRONG_TYPE;
    }
    c.mayWait();
    byte[] target = Nfs4Compound.tree(file).readLink(file.inode);
    // This throws STALE if the inode was reused, because the target may belong to another link.
    c.attributes(file);
    c.out.opaque(target);
    return NfsStatus.OK;
  }
}
