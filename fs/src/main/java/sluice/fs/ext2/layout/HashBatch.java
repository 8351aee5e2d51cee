package sluice.fs.ext2.layout;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import sluice.fs.FileKind;

/// The next entries of a directory in the order of their keys ([HashOrder]), which are collected
/// from some of its blocks. Instances are confined to the thread that performs the listing.
///
/// A batch contains at most the first 4 096 entries. All other entries belong to the next batch.
public final class HashBatch {
  private static final int MOST = 4096;

  /// An entry together with its key.
  ///
  /// @param key the key, which includes the number of the entry among equal names after the batch
  ///   has been sorted
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Item(long key, long inode, FileKind kind, byte[] name) {}

  private static final Comparator<Item> ORDER =
      (a, b) -> a.key != b.key ? Long.compare(a.key, b.key) : Arrays.compare(a.name, b.name);

  private final Geometry geometry;
  private final HashOrder order;
  private final int version;
  private final long from;
  private List<Item> items = new ArrayList<>();

  /// True if entries were dropped because of the limit.
  private boolean cut;

  /// Creates an empty batch.
  ///
  /// @param version the hash function of the tree
  /// @param from the smallest key to include
  public HashBatch(Geometry geometry, HashOrder order, int version, long from) {
    this.geometry = geometry;
    this.order = order;
    this.version = version;
    this.from = from;
  }

  /// Adds the entries of a block that are to be included, and checks the hash of every entry.
  ///
  /// @param low the smallest hash of the block
  /// @param above the smallest hash of the next block, or 0 if there is none
  /// @return false if a hash is outside of this range, which means that the tree is broken
  public boolean add(byte[] bytes, int low, int above) {
    for (int at = 0; at < bytes.length; at += EntryBytes.recordLength(bytes, at)) {
      long inode = EntryBytes.inode(bytes, at);
      if (inode == 0) {
        continue;
      }
      int name = at + EntryLayout.NAME;
      int length = EntryBytes.nameLength(bytes, at);
      long key = order.key(version, bytes, name, length);
      int hash = HashOrder.hash(key);
      if (Integer.compareUnsigned(hash, low) < 0
          || (above != 0 && Integer.compareUnsigned(hash, above) >= 0)) {
        return false;
      }
      if (key >= HashOrder.group(from)) {
        byte[] copy = Arrays.copyOfRange(bytes, name, name + length);
        items.add(new Item(key, inode, EntryBytes.kind(geometry, bytes, at), copy));
      }
    }
    if (items.size() >= 2 * MOST) {
      sort();
    }
    return true;
  }

  private void sort() {
    items.sort(ORDER);
    if (items.size() > MOST) {
      items = new ArrayList<>(items.subList(0, MOST));
      cut = true;
    }
  }

  /// Returns the entries in order. No entries may be added afterwards.
  public List<Item> sorted() {
    sort();
    List<Item> wanted = new ArrayList<>(items.size());
    int alike = 0;
    for (int i = 0; i < items.size(); i++) {
      Item item = items.get(i);
      boolean same = i > 0 && items.get(i - 1).key == item.key;
      alike = same ? Math.min(alike + 1, HashOrder.MOST_ALIKE) : 0;
      long key = item.key | alike;
      if (key >= from) {
        wanted.add(alike == 0 ? item : new Item(key, item.inode, item.kind, item.name));
      }
    }
    return wanted;
  }

  public boolean isCut() {
    return cut;
  }
}
