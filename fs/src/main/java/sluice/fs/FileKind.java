package sluice.fs;

/// The kind of a file, which is represented by the `S_IFMT` bits of its mode (`inode(7)`) and by
/// the type field of an ext2 directory entry. This class is thread-safe.
public enum FileKind {
  UNKNOWN(0, 0),
  REGULAR(0x8000, 1),
  DIRECTORY(0x4000, 2),
  CHARACTER_DEVICE(0x2000, 3),
  BLOCK_DEVICE(0x6000, 4),
  FIFO(0x1000, 5),
  SOCKET(0xC000, 6),
  SYMLINK(0xA000, 7);

  /// The mask of the bits in a mode that represent the kind (`S_IFMT`).
  public static final int MODE_MASK = 0xF000;

  private static final FileKind[] KINDS = values();

  private final int modeBits;
  private final int entryType;

  FileKind(int modeBits, int entryType) {
    this.modeBits = modeBits;
    this.entryType = entryType;
  }

  /// Returns the bits that represent this kind in a mode.
  public int modeBits() {
    return modeBits;
  }

  /// Returns the value of `file_type` in an ext2 directory entry.
  public int entryType() {
    return entryType;
  }

  /// Returns the kind that is encoded in the given mode, or [#UNKNOWN] if it is invalid.
  public static FileKind ofMode(int mode) {
    for (FileKind kind : KINDS) {
      if (kind.modeBits == (mode & MODE_MASK)) {
        return kind;
      }
    }
    return UNKNOWN;
  }

  /// Returns the kind for the `file_type` of an ext2 directory entry, or [#UNKNOWN] if it is
  /// invalid.
  public static FileKind ofEntryType(int type) {
    return type >= 0 && type < KINDS.length ? KINDS[type] : UNKNOWN;
  }
}
