package sluice.nfs.v4;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import sluice.nfs.ExportOptions;
import sluice.nfs.Squash;
import sluice.nfs.export.Export;
import sluice.nfs.export.ExportedTree;
import sluice.nfs.export.Exports;
import sluice.nfs.export.FileHandles;
import sluice.nfs.export.FileRef;
import sluice.nfs.export.NfsException;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.rpc.XdrReader;
import sluice.nfs.rpc.XdrWriter;

/// The root of the single name space of NFSv4.1 (RFC 8881, section 7.3). This is the export `/` if
/// it exists, and otherwise a read-only tree of the directories that lead to the exports. Instances
/// are immutable and thread-safe.
///
/// The handles of these directories consist of a magic number and the inode number. Their length
/// differs from the length of all other handles.
final class PseudoRoot {
  private static final int HANDLE_BYTES = 16;
  private static final int MAX_HANDLE_BYTES = 128;
  private static final long MAGIC = 0x534C_4E34_5053_4555L;

  private final PseudoTree tree;
  private final Export export;
  private final @Nullable Export whole;

  PseudoRoot(Exports exports) throws IOException {
    tree = new PseudoTree();
    Export root = null;
    for (Export one : exports.list()) {
      if (one.path().equals("/")) {
        root = one;
      }
    }
    whole = root;
    for (Export one : exports.list()) {
      if (root == null) {
        tree.add(one);
      }
    }
    ExportedTree exported = ExportedTree.open(tree);
    ExportOptions options = ExportOptions.defaults().withReadOnly(true).withSquash(Squash.NONE);
    export = new Export("/", exported, tree.rootInode(), options);
  }

  /// Returns the root of the name space, which is selected by PUTROOTFH.
  FileRef root(FileHandles handles) throws IOException {
    return whole == null ? ref(tree.rootInode()) : root(handles, whole);
  }

  private FileRef ref(long inode) {
    return new FileRef(export, inode, 0, 0);
  }

  private static FileRef root(FileHandles handles, Export of) throws IOException {
    long inode = of.rootInode();
    int generation = of.exported().tree().attributes(inode).generation();
    return handles.ref(of, inode, generation);
  }

  boolean contains(FileRef file) {
    return file.export == export;
  }

  /// Returns the root of the export that covers a directory of this tree, or the directory itself.
  ///
  /// @throws NfsException `ACCES` if the client may not use the export
  FileRef cover(FileHandles handles, long inode, InetAddress client)
      throws IOException, NfsException {
    Export leadsTo = tree.exportAt(inode);
    if (leadsTo == null) {
      return ref(inode);
    }
    if (!leadsTo.allows(client)) {
      throw new NfsException(NfsStatus.ACCES);
    }
    return root(handles, leadsTo);
  }

  /// Returns the directory above the root of an export.
  ///
  /// @throws NfsException `NOENT` if the export is the root of the name space
  FileRef above(Export of) throws NfsException, IOException {
    if (of == whole || of == export) {
      throw new NfsException(NfsStatus.NOENT);
    }
    return ref(tree.lookupParent(tree.inodeOf(of)));
  }

  /// Returns the parent of a directory of this tree.
  FileRef above(long inode) throws IOException {
    return ref(tree.lookupParent(inode));
  }

  /// Returns the `mounted_on_fileid`. For the root of an export, this is the inode of the directory
  /// that the export covers.
  long mountedOn(FileRef file) {
    boolean covers = whole == null && !contains(file) && file.inode == file.export.rootInode();
    return covers ? tree.inodeOf(file.export) : file.inode;
  }

  /// Writes a file handle as a variable-length opaque.
  void writeHandle(XdrWriter out, FileRef file) {
    if (contains(file)) {
      out.int32(HANDLE_BYTES).int64(MAGIC).int64(file.inode);
    } else {
      FileHandles.write(out, file);
    }
  }

  /// Reads a file handle from a variable-length opaque.
  ///
  /// @throws NfsException `BADHANDLE`, `STALE`
  FileRef readHandle(FileHandles handles, XdrReader in) throws NfsException {
    if (in.peek(in.position()) != HANDLE_BYTES) {
      return handles.read(in, MAX_HANDLE_BYTES);
    }
    in.int32();
    boolean ours = in.int64() == MAGIC;
    long inode = in.int64();
    if (!ours) {
      throw new NfsException(NfsStatus.BADHANDLE);
    }
    if (whole != null || !tree.has(inode)) {
      throw new NfsException(NfsStatus.STALE);
    }
    return ref(inode);
  }

  /// Splits a path into its names.
  static byte[][] names(String path) {
    return Arrays.stream(path.split("/", -1))
        .filter(part -> !part.isEmpty())
        .map(part -> part.getBytes(StandardCharsets.UTF_8))
        .toArray(byte[][]::new);
  }
}
