package sluice.fs.ext2.layout;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import sluice.fs.DirectorySink;
import sluice.fs.FileKind;
import sluice.fs.FsException;

/// Operations on the entries in a copy of a directory block, which read and validate entries, and
/// apply changes of the block to the copy. This class is stateless, and a copy belongs to its
/// creator.
public final class EntryBytes {
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);

  private EntryBytes() {}

  /// Checks that the entries of a block fill the block and refer to valid inode numbers.
  ///
  /// @param block the device block, which is used in messages
  /// @throws FsException `EUCLEAN` if they do not
  public static void check(long directory, long block, byte[] bytes, Geometry geometry)
      throws FsException {
    int at = 0;
    while (at < bytes.length) {
      int length = at + EntryLayout.NAME > bytes.length ? 0 : recordLength(bytes, at);
      if (length < EntryLayout.bytes(1)
          || length % 4 != 0
          || at + length > bytes.length
          || EntryLayout.bytes(nameLength(bytes, at)) > length) {
        throw FsException.corrupt(
            directory, block, "entry at byte " + at + ": impossible length " + length);
      }
      long inode = inode(bytes, at);
      if (inode > geometry.inodes) {
        throw FsException.corrupt(
            directory, block, "entry at byte " + at + ": impossible inode " + inode);
      }
      if (inode != 0 && nameLength(bytes, at) == 0) {
        throw FsException.corrupt(directory, block, "entry at byte " + at + ": an empty name");
      }
      at += length;
    }
  }

  /// Checks that all names in a block can be looked up.
  ///
  /// @param block the block number in the directory, which is used in messages
  /// @throws FsException `EUCLEAN` if a name cannot be looked up
  public static void checkNames(long directory, long block, byte[] bytes) throws FsException {
    for (int at = 0; at < bytes.length; at += recordLength(bytes, at)) {
      int name = at + EntryLayout.NAME;
      if (inode(bytes, at) != 0 && !Names.isPossible(bytes, name, nameLength(bytes, at))) {
        String where = "entry at byte " + at + " of its block " + block;
        throw FsException.corrupt(directory, -1, where + ": a slash or NUL in its name");
      }
    }
  }

  public static long inode(byte[] bytes, int at) {
    return (int) INT.get(bytes, at) & 0xFFFF_FFFFL;
  }

  public static int recordLength(byte[] bytes, int at) {
    return (short) SHORT.get(bytes, at + EntryLayout.RECORD_LENGTH) & 0xFFFF;
  }

  public static int nameLength(byte[] bytes, int at) {
    return bytes[at + EntryLayout.NAME_LENGTH] & 0xFF;
  }

  public static void setInt(byte[] bytes, int at, int value) {
    INT.set(bytes, at, value);
  }

  public static void setRecordLength(byte[] bytes, int at, int length) {
    SHORT.set(bytes, at + EntryLayout.RECORD_LENGTH, (short) length);
  }

  /// Returns the kind that is stored in an entry, or [FileKind#UNKNOWN] without the feature
  /// `filetype`.
  public static FileKind kind(Geometry geometry, byte[] bytes, int at) {
    return geometry.entryTypes()
        ? FileKind.ofEntryType(bytes[at + EntryLayout.FILE_TYPE] & 7)
        : FileKind.UNKNOWN;
  }

  public static boolean isNamed(byte[] bytes, int at, byte[] name) {
    int from = at + EntryLayout.NAME;
    return nameLength(bytes, at) == name.length
        && inode(bytes, at) != 0
        && Arrays.equals(bytes, from, from + name.length, name, 0, name.length);
  }

  /// Returns true if the first block of a directory begins with `.` and `..`. The first entry must
  /// have its minimal length, and both names must be followed by a NUL.
  public static boolean beginsWithDots(byte[] bytes) {
    int second = EntryLayout.bytes(1);
    return isNamed(bytes, 0, Names.DOT)
        && recordLength(bytes, 0) == second
        && isNamed(bytes, second, Names.DOT_DOT)
        && bytes[EntryLayout.NAME + 1] == 0
        && bytes[second + EntryLayout.NAME + 2] == 0;
  }

  /// Returns the number of bytes of an entry that are not used by it.
  public static int gap(byte[] bytes, int at) {
    int length = recordLength(bytes, at);
    return inode(bytes, at) == 0 ? length : length - EntryLayout.bytes(nameLength(bytes, at));
  }

  public static int largestGap(byte[] bytes) {
    int largest = 0;
    for (int at = 0; at < bytes.length; at += recordLength(bytes, at)) {
      largest = Math.max(largest, gap(bytes, at));
    }
    return largest;
  }

  /// Applies a change of an entry to the copy of its block.
  public static void setHead(byte[] bytes, int at, long inode, int length, int nameLength) {
    INT.set(bytes, at + EntryLayout.INODE, (int) inode);
    SHORT.set(bytes, at + EntryLayout.RECORD_LENGTH, (short) length);
    bytes[at + EntryLayout.NAME_LENGTH] = (byte) nameLength;
  }

  /// Passes the entries at or after a position to a sink.
  ///
  /// @return false if the sink has stopped the listing
  public static boolean emit(
      Geometry geometry, byte[] bytes, long start, long from, DirectorySink sink) {
    for (int at = 0; at < bytes.length; at += recordLength(bytes, at)) {
      long inode = inode(bytes, at);
      if (inode != 0 && start + at >= from) {
        int name = at + EntryLayout.NAME;
        byte[] copy = Arrays.copyOfRange(bytes, name, name + nameLength(bytes, at));
        if (!sink.entry(
            inode, kind(geometry, bytes, at), copy, start + at + recordLength(bytes, at))) {
          return false;
        }
      }
    }
    return true;
  }
}
