package sluice.nfs.export;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import sluice.nfs.rpc.RpcRefusal;
import sluice.nfs.rpc.XdrReader;
import sluice.nfs.rpc.XdrWriter;

/// Encodes and decodes file handles. The format is the same for NFSv3 and NFSv4.1. Handles remain
/// valid after a restart and are decoded without a search. This class is thread-safe.
///
/// ```
///  0        4        8                16               24       28       32               40
///  +--------+--------+----------------+----------------+--------+--------+----------------+---
///  | magic  | export |  tree's id     |  inode         | gener. | rest   |  seal          | …
///  +--------+--------+----------------+----------------+--------+--------+----------------+---
/// ```
///
/// The last field is the locator, which is `rest` bytes long. It contains the data that the tree
/// needs in addition to the inode number in order to find the file ([FileTree#locator]). The seal
/// is a [SipHash] of all other bytes under a key that only the server knows, so that a client can
/// guess a valid handle only with a probability of 2^-64. Verified handles are cached in a table of
/// fixed size. Reading a cached handle neither computes a hash nor allocates memory.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | known | any thread | volatile | volatile |
public final class FileHandles {
  /// The length of a handle without its locator. RFC 1813 allows up to 64 bytes and RFC 8881 up to
  /// 128 bytes.
  public static final int BYTES = 40;

  /// The maximum length of a locator.
  static final int MAX_LOCATOR_BYTES = 24;

  private static final int MAGIC = 0x534C4E01;
  private static final int KNOWN = 4096;

  private final Exports exports;
  private final AtomicReferenceArray<@Nullable FileRef> known = new AtomicReferenceArray<>(KNOWN);

  public FileHandles(Exports exports) {
    this.exports = exports;
  }

  /// Writes a file handle as a variable-length opaque.
  public void write(XdrWriter out, Export export, long inode, int generation) {
    byte[] locator = locator(export, inode);
    long seal = seal(export, export.exported().treeId(), inode, generation, locator);
    write(out, export, inode, generation, locator, seal);
  }

  /// Writes the handle of a file whose seal has already been computed.
  public static void write(XdrWriter out, FileRef file) {
    write(out, file.export, file.inode, file.generation, file.locator, file.seal);
  }

  private static void write(
      XdrWriter out, Export export, long inode, int generation, byte[] locator, long seal) {
    out.int32(BYTES + locator.length);
    out.int32(MAGIC).int32(export.number()).int64(export.exported().treeId());
    out.int64(inode).int32(generation).int32(locator.length).int64(seal).fixed(locator);
  }

  /// Returns the maximum encoded length of a handle.
  public static int xdrBytes(Export export) {
    return 4 + BYTES + (export.exported().hasLocators() ? MAX_LOCATOR_BYTES : 0);
  }

  /// Returns the locator of a file, or an empty array if it is too long or cannot be read. A handle
  /// without its locator is valid until the tree evicts the file from its memory.
  private static byte[] locator(Export export, long inode) {
    if (!export.exported().hasLocators()) {
      return FileRef.NO_LOCATOR;
    }
    try {
      byte[] locator = export.exported().tree().locator(inode);
      return locator.length > MAX_LOCATOR_BYTES ? FileRef.NO_LOCATOR : locator;
    } catch (IOException _) {
      return FileRef.NO_LOCATOR;
    }
  }

  /// Reads a file handle from a variable-length opaque.
  ///
  /// @param most the maximum length in the protocol; a longer handle is an XDR error
  /// @throws NfsException `BADHANDLE` if the handle was not created by this server, `STALE` if its
  ///   export or tree no longer exists
  public FileRef read(XdrReader in, int most) throws NfsException {
    int length = in.int32();
    if (length < 0 || length > most) {
      throw new RpcRefusal(RpcRefusal.GARBAGE_ARGUMENTS);
    }
    if (length < BYTES || length > BYTES + MAX_LOCATOR_BYTES) {
      in.skip(length);
      throw new NfsException(NfsStatus.BADHANDLE);
    }
    int magic = in.int32();
    int number = in.int32();
    long treeId = in.int64();
    long inode = in.int64();
    int generation = in.int32();
    int rest = in.int32();
    long seal = in.int64();
    byte[] locator = length == BYTES ? FileRef.NO_LOCATOR : in.fixed(length - BYTES);
    Export export = exports.byNumber(number);
    if (magic != MAGIC || rest != locator.length) {
      throw new NfsException(NfsStatus.BADHANDLE);
    }
    if (export == null || export.exported().treeId() != treeId) {
      throw new NfsException(NfsStatus.STALE);
    }
    FileRef file = find(export, inode, generation, seal, locator);
    if (file == null) {
      throw new NfsException(NfsStatus.BADHANDLE);
    }
    return file;
  }

  private @Nullable FileRef find(
      Export export, long inode, int generation, long seal, byte[] locator) {
    int place = (int) seal & (KNOWN - 1);
    FileRef found = known.get(place);
    if (found != null
        && found.seal == seal
        && found.inode == inode
        && found.generation == generation
        && found.export == export
        && Arrays.equals(found.locator, locator)) {
      return found;
    }
    if (seal(export, export.exported().treeId(), inode, generation, locator) != seal) {
      return null;
    }
    FileRef made = new FileRef(export, inode, generation, seal, locator);
    known.set(place, made);
    return made;
  }

  /// Returns a reference to a file that has been looked up in an export.
  public FileRef ref(Export export, long inode, int generation) {
    byte[] locator = locator(export, inode);
    long seal = seal(export, export.exported().treeId(), inode, generation, locator);
    return new FileRef(export, inode, generation, seal, locator);
  }

  private static long seal(Export export, long treeId, long inode, int generation, byte[] locator) {
    HandleKey key = export.exported().key();
    long first = (long) MAGIC << 32 | (export.number() & 0xFFFF_FFFFL);
    long last = (long) generation << 32 | locator.length;
    long seal = SipHash.of(key.first(), key.second(), first, treeId, inode, last);
    if (locator.length == 0) {
      return seal;
    }
    ByteBuffer rest = ByteBuffer.allocate(MAX_LOCATOR_BYTES).put(0, locator);
    return SipHash.of(
        key.first(), key.second(), seal, rest.getLong(0), rest.getLong(8), rest.getLong(16));
  }
}
