package sluice.fs.ext2;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.BitSet;
import sluice.fs.ext2.layout.AttributeLayout;
import sluice.fs.ext2.layout.AttributeRegion;

/// Checks the consistency of the extended attributes in one region, which is either a block or the
/// space after the fields of an inode. Instances are confined to the checking thread.
///
/// The entries, the values, and the zero word that terminates the list must not overlap, and the
/// hash of each entry must match its name and value. In an inode, value offsets are relative to the
/// first entry, which follows the magic number, and a hash of 0 means that the entry has no hash.
final class CheckedAttributes {
  private final byte[] bytes;
  private final ByteBuffer b;
  private final int values;
  private final boolean inInode;
  private final BitSet taken = new BitSet();

  private CheckedAttributes(byte[] bytes, int values, boolean inInode) {
    this.bytes = bytes;
    this.values = values;
    this.inInode = inInode;
    b = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  /// Checks the attributes that are stored in an inode.
  ///
  /// @param bytes the bytes after the fields of the inode, beginning with the magic number
  /// @return a description of the error, or an empty string if there is none
  static String inInode(byte[] bytes) {
    return new CheckedAttributes(bytes, 4, true).check(4);
  }

  /// Checks a block of attributes.
  ///
  /// @param bytes the entire block, which begins with the magic number
  /// @return a description of the error, or an empty string if there is none
  static String inBlock(byte[] bytes) {
    return new CheckedAttributes(bytes, 0, false).check(AttributeLayout.HEADER_BYTES);
  }

  private static int padded(int count) {
    return (count + 3) & ~3;
  }

  /// Marks a range of bytes as used. Returns false if any of them lies outside of the region or is
  /// already in use.
  private boolean take(int from, int count) {
    int next = taken.nextSetBit(from);
    if (from < 0 || count > bytes.length - from || (next >= 0 && next < from + count)) {
      return false;
    }
    taken.set(from, from + count);
    return true;
  }

  private String check(int start) {
    take(0, start);
    int at = start;
    while (at + 4 <= bytes.length && b.getInt(at) != 0) {
      String wrong = entry(at);
      if (!wrong.isEmpty()) {
        return "the attribute at byte " + at + " " + wrong;
      }
      at += AttributeLayout.ENTRY_BYTES + padded(bytes[at] & 0xFF);
    }
    return take(at, 4) ? "" : "no end of the attributes at byte " + at;
  }

  private String entry(int at) {
    int nameBytes = bytes[at + AttributeLayout.NAME_LENGTH] & 0xFF;
    if (!take(at, AttributeLayout.ENTRY_BYTES + padded(nameBytes))) {
      return "reaches outside, or into a value";
    }
    if (!inInode && bytes[at + AttributeLayout.NAME_INDEX] == 0) {
      return "belongs to no name space";
    }
    if (b.getInt(at + AttributeLayout.VALUE_BLOCK) != 0) {
      return "has its value in another inode";
    }
    int size = b.getInt(at + AttributeLayout.VALUE_SIZE);
    int value = values + (b.getShort(at + AttributeLayout.VALUE_OFFSET) & 0xFFFF);
    boolean fits = size >= 0 && value <= bytes.length && padded(size) <= bytes.length - value;
    if (!fits || (size > 0 && !take(value, padded(size)))) {
      return "has its value outside, or in another's place";
    }
    int name = at + AttributeLayout.ENTRY_BYTES;
    int hash = b.getInt(at + AttributeLayout.ENTRY_HASH);
    byte[] named = Arrays.copyOfRange(bytes, name, name + nameBytes);
    boolean unhashed = inInode && hash == 0;
    return unhashed || hash == AttributeRegion.hash(named, b, value, size)
        ? ""
        : "has a hash that is not that of its name and value";
  }
}
