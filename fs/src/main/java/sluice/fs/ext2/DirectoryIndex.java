package sluice.fs.ext2;

import java.util.Arrays;

/// An in-memory index of a large directory that contains the position of each name and the free
/// space of each block. It makes a linear directory of 100 000 entries as fast as a small one. The
/// index is read under the lock of the directory and modified under its write lock.
///
/// The index contains hashes instead of names, so the caller must compare the name at each position
/// that is found. It is never stored on the device, and can be discarded and rebuilt from the
/// blocks at any time.
final class DirectoryIndex {
  private static final int EMPTY = 0;
  private static final int REMOVED = -1;

  private int[] hashes;

  /// The byte offsets of the entries divided by 4, plus 1.
  private int[] places;

  private int live;
  private int taken;

  /// The size in bytes of the largest gap in each block.
  private short[] room;

  private int blocks;
  private int roomHint;

  /// Creates an empty index.
  ///
  /// @param expectedBlocks the number of blocks according to the directory, which may be too large
  DirectoryIndex(int expectedBlocks) {
    hashes = new int[256];
    places = new int[256];
    room = new short[Math.clamp(expectedBlocks, 4, 1024)];
  }

  /// Returns the amount of memory in bytes that this index occupies.
  long bytes() {
    return 8L * places.length + 2L * room.length;
  }

  int entries() {
    return live;
  }

  // ---- names ------------------------------------------------------------------------------------

  /// Returns the first slot that may contain a name with the given hash, or -1 if there is none.
  int first(int hash) {
    return probe(hash, home(hash));
  }

  int next(int hash, int slot) {
    return probe(hash, (slot + 1) & (places.length - 1));
  }

  private int home(int hash) {
    return (hash * 0x9E3779B9) >>> (Integer.numberOfLeadingZeros(places.length) + 1);
  }

  private int probe(int hash, int from) {
    int slot = from;
    while (places[slot] != EMPTY) {
      if (hashes[slot] == hash && places[slot] != REMOVED) {
        return slot;
      }
      slot = (slot + 1) & (places.length - 1);
    }
    return -1;
  }

  /// Returns the byte offset in the directory of the entry in the given slot.
  long position(int slot) {
    return ((places[slot] - 1) & 0xFFFF_FFFFL) << 2;
  }

  void add(int hash, long position) {
    if (taken >= places.length / 2) {
      rehash(live >= places.length / 4 ? 2 * places.length : places.length);
    }
    int slot = home(hash);
    while (places[slot] != EMPTY) {
      slot = (slot + 1) & (places.length - 1);
    }
    hashes[slot] = hash;
    places[slot] = (int) (position >>> 2) + 1;
    live++;
    taken++;
  }

  void remove(int hash, long position) {
    int wanted = (int) (position >>> 2) + 1;
    for (int slot = first(hash); slot >= 0; slot = next(hash, slot)) {
      if (places[slot] == wanted) {
        places[slot] = REMOVED;
        live--;
        return;
      }
    }
  }

  /// Updates the position of an entry.
  void move(int hash, long from, long to) {
    int wanted = (int) (from >>> 2) + 1;
    for (int slot = first(hash); slot >= 0; slot = next(hash, slot)) {
      if (places[slot] == wanted) {
        places[slot] = (int) (to >>> 2) + 1;
        return;
      }
    }
  }

  private void rehash(int length) {
    int[] oldHashes = hashes;
    int[] oldPlaces = places;
    hashes = new int[length];
    places = new int[length];
    taken = live;
    for (int i = 0; i < oldPlaces.length; i++) {
      if (oldPlaces[i] != EMPTY && oldPlaces[i] != REMOVED) {
        int slot = home(oldHashes[i]);
        while (places[slot] != EMPTY) {
          slot = (slot + 1) & (length - 1);
        }
        hashes[slot] = oldHashes[i];
        places[slot] = oldPlaces[i];
      }
    }
  }

  // ---- room -------------------------------------------------------------------------------------

  void setRoom(int block, int bytes) {
    if (block >= room.length) {
      room = Arrays.copyOf(room, Math.max(block + 1, 2 * room.length));
    }
    blocks = Math.max(blocks, block + 1);
    room[block] = (short) bytes;
  }

  /// Returns a block that has a gap of at least the given number of bytes, or -1 if there is none.
  int findRoom(int bytes) {
    for (int i = 0; i < blocks; i++) {
      int block = roomHint + i;
      block = block >= blocks ? block - blocks : block;
      if (room[block] >= bytes) {
        roomHint = block;
        return block;
      }
    }
    return -1;
  }
}
