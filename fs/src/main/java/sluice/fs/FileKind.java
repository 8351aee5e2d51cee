package sluice.fs;

/// What a file is: the `S_IFMT` bits of its mode (`inode(7)`) and the type ext2 keeps in a
/// directory entry. Any thread may use it.
public enum FileKind {
  UNKNOWN(0, 0),
  REGULAR(0x8000, 1),
  DIRECTORY(0x4000, 2),
  CHARACTER_DEVICE(0x2000, 3),
  BLOCK_DEVICE(0x6000, 4),
  FIFO(0x1000, 5),
  SOCKET(0xC000, 6),
  SYMLINK(0xA000, 7);

  /// The bits of a mode that say the kind (`S_IFMT`).
  public static final int MODE_MASK = 0xF000;

  private static final FileKind[] KINDS = values();

  private final int modeBits;
  private final int entryType;

  FileKind(int modeBits, int entryType) {
    this.modeBits = modeBits;
    this.entryType = entryType;
  }

  /// The kind's bits in a mode.
  public int modeBits() {
    return modeBits;
  }

  /// `file_type` of an ext2 directory entry.
  public int entryType() {
    return entryType;
  }

  /// The kind a mode says, [#UNKNOWN] when none of these.
  public static FileKind ofMode(int mode) {
    for (FileKind kind : KINDS) {
      if (kind.modeBits == (mode & MODE_MASK)) {
        return kind;
      }
    }
    return UNKNOWN;
  }

  /// The kind of an ext2 directory entry, [#UNKNOWN] when none of these.
  public static FileKind ofEntryType(int type) {
    return type >= 0 && type < KINDS.length ? KINDS[type] : UNKNOWN;
  }
}
