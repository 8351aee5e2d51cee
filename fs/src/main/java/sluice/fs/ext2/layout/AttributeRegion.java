package sluice.fs.ext2.layout;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.fs.FsException;

/// The extended attributes of a region, which is either a part of an inode or a block. The region
/// is parsed to a list, modified as a list, and written as a whole. Instances are confined to the
/// thread that created them.
public final class AttributeRegion {
  /// The name of an attribute.
  ///
  /// @param index the number of the namespace
  /// @param bytes the name without the prefix of its namespace
  @SuppressWarnings("ArrayRecordComponent") // compared by sameAs
  public record Name(int index, byte[] bytes) {
    public boolean sameAs(Name other) {
      return index == other.index && Arrays.equals(bytes, other.bytes);
    }

    int order(Name other) {
      if (index != other.index) {
        return Integer.compare(index, other.index);
      }
      return bytes.length != other.bytes.length
          ? Integer.compare(bytes.length, other.bytes.length)
          : Arrays.compareUnsigned(bytes, other.bytes);
    }
  }

  /// An attribute.
  ///
  /// @param value the value of the attribute
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Entry(Name name, byte[] value) {
    int bytes() {
      return entryBytes(name) + padded(value.length);
    }
  }

  private final int length;
  private final int start;
  private final List<Entry> entries = new ArrayList<>();

  /// Creates an empty region.
  ///
  /// @param start the offset of the entries, which follow a header
  public AttributeRegion(int length, int start) {
    this.length = length;
    this.start = start;
  }

  private static int padded(int bytes) {
    return (bytes + 3) & ~3;
  }

  private static int entryBytes(Name name) {
    return AttributeLayout.ENTRY_BYTES + padded(name.bytes.length);
  }

  public List<Entry> entries() {
    return entries;
  }

  public byte @Nullable [] value(Name name) {
    for (Entry entry : entries) {
      if (entry.name.sameAs(name)) {
        return entry.value;
      }
    }
    return null;
  }

  public boolean remove(Name name) {
    return entries.removeIf(entry -> entry.name.sameAs(name));
  }

  /// Adds an attribute. Returns false if there is not enough space.
  public boolean add(Name name, byte[] value) {
    Entry added = new Entry(name, value);
    int used = start + 4 + added.bytes();
    for (Entry entry : entries) {
      used += entry.bytes();
    }
    if (used > length) {
      return false;
    }
    entries.add(added);
    return true;
  }

  /// Parses a region.
  ///
  /// @throws FsException `EUCLEAN` if a name or a value lies outside of the region
  public void parse(byte[] bytes, long inode, long block) throws FsException {
    ByteBuffer b = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int at = start;
    while (at + 4 <= length && b.getInt(at) != 0) {
      if (at + AttributeLayout.ENTRY_BYTES > length) {
        throw FsException.corrupt(inode, block, "an attribute's entry at byte " + at);
      }
      int nameBytes = bytes[at + AttributeLayout.NAME_LENGTH] & 0xFF;
      int index = bytes[at + AttributeLayout.NAME_INDEX] & 0xFF;
      int offset = b.getShort(at + AttributeLayout.VALUE_OFFSET) & 0xFFFF;
      int size = b.getInt(at + AttributeLayout.VALUE_SIZE);
      int name = at + AttributeLayout.ENTRY_BYTES;
      boolean fits = name + padded(nameBytes) + 4 <= length;
      if (!fits || size < 0 || size > length || offset > length - size) {
        throw FsException.corrupt(inode, block, "an attribute at byte " + at + " reaches outside");
      }
      if (b.getInt(at + AttributeLayout.VALUE_BLOCK) != 0) {
        throw FsException.corrupt(inode, block, "an attribute at byte " + at + " in another block");
      }
      entries.add(
          new Entry(
              new Name(index, Arrays.copyOfRange(bytes, name, name + nameBytes)),
              Arrays.copyOfRange(bytes, offset, offset + size)));
      at = name + padded(nameBytes);
    }
  }

  /// Returns the bytes of the region. In a block the entries are sorted and have hashes, and in an
  /// inode they are not sorted and have no hashes.
  public byte[] bytes(boolean block) {
    byte[] bytes = new byte[length];
    ByteBuffer b = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    if (block) {
      entries.sort((a, c) -> a.name.order(c.name));
    }
    int at = start;
    int end = length;
    int hash = 0;
    boolean unhashed = false;
    for (Entry entry : entries) {
      int size = entry.value.length;
      end -= padded(size);
      System.arraycopy(entry.value, 0, bytes, end, size);
      bytes[at + AttributeLayout.NAME_LENGTH] = (byte) entry.name.bytes.length;
      bytes[at + AttributeLayout.NAME_INDEX] = (byte) entry.name.index;
      b.putShort(at + AttributeLayout.VALUE_OFFSET, (short) (size == 0 ? 0 : end));
      b.putInt(at + AttributeLayout.VALUE_SIZE, size);
      int entryHash = block ? hash(entry.name.bytes, b, end, size) : 0;
      b.putInt(at + AttributeLayout.ENTRY_HASH, entryHash);
      unhashed |= entryHash == 0;
      hash = hash << 16 ^ hash >>> 16 ^ entryHash;
      int name = at + AttributeLayout.ENTRY_BYTES;
      System.arraycopy(entry.name.bytes, 0, bytes, name, entry.name.bytes.length);
      at += entryBytes(entry.name);
    }
    if (block) {
      b.putInt(0, AttributeLayout.MAGIC);
      b.putInt(AttributeLayout.REFERENCES, 1);
      b.putInt(AttributeLayout.BLOCKS, 1);
      b.putInt(AttributeLayout.HASH, unhashed ? 0 : hash);
    }
    return bytes;
  }

  /// Returns the hash of an entry in a block.
  ///
  /// @param value the offset of the value in the bytes
  public static int hash(byte[] name, ByteBuffer b, int value, int size) {
    int hash = 0;
    for (byte c : name) {
      hash = hash << 5 ^ hash >>> 27 ^ (c & 0xFF);
    }
    for (int i = 0; i < padded(size); i += 4) {
      hash = hash << 16 ^ hash >>> 16 ^ b.getInt(value + i);
    }
    return hash;
  }
}
