package sluice.nfs.export;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import sluice.nfs.rpc.RpcRefusal;
import sluice.nfs.rpc.XdrReader;
import sluice.nfs.rpc.XdrWriter;

/// Encodes and decodes file handles. The format is the same for NFSv3 and NFSv4.1. Handles survive
/// a restart and are decoded without a search. Thread-safe.
///
/// ```
///  0        4        8                16               24       28       32               40
///  +--------+--------+----------------+----------------+--------+--------+----------------+---
///  | magic  | export |  tree's id     |  inode         | gener. | rest   |  seal          | …
///  +--------+--------+----------------+----------------+--------+--------+----------------+---
/// ```
///
/// The last part is the locator: the data that the tree needs besides the inode number to find the
/// file ([FileTree#locator]), `rest` bytes long. The seal is a [SipHash] of all other bytes under a
/// key that only the server has, so a client guesses a valid handle with probability 2^-64.
/// Verified handles are cached in a table of fixed size. A cached handle costs neither a hash nor
/// an allocation.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | known | any thread | volatile | volatile |
public final class FileHandles {
  /// The length of a handle without locator. RFC 1813 allows 64 bytes, RFC 8881 128.
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

  /// Writes the handle of a file whose seal is known.
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
  /// without its locator is valid until the tree forgets the file.
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
  /// @throws NfsException `BADHANDLE` if this server did not make the handle, `STALE` if its export
  ///   or tree does not exist any more
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

  /// Returns the reference to a file that was looked up in an export.
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
