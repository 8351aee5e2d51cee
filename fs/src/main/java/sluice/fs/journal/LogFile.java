package sluice.fs.journal;

import static sluice.fs.journal.LogLayout.getInt;
import static sluice.fs.journal.LogLayout.setInt;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import sluice.fs.FsException;
import sluice.fs.block.BlockDevice;
import sluice.memory.Account;
import sluice.memory.block.Block;
import sluice.sys.Errno;

/// The blocks of a journal and its superblock. It may be used by only one thread at a time: first
/// the thread that opens the journal, and then the journal's own thread.
///
/// ```
///   0            first                                              length
///   +------------+--------------------------------------------------+
///   | superblock | log, a ring buffer: start … head                 |
///   +------------+--------------------------------------------------+
/// ```
public final class LogFile implements AutoCloseable {
  private static final int KNOWN_INCOMPAT =
      LogLayout.INCOMPAT_REVOKE
          | LogLayout.INCOMPAT_64BIT
          | LogLayout.INCOMPAT_ASYNC_COMMIT
          | LogLayout.INCOMPAT_CSUM_V2
          | LogLayout.INCOMPAT_CSUM_V3;

  private final BlockDevice device;
  private final int blockBytes;
  private final long[] places;
  private final Block superblock;
  private final LogFormat format;
  private final int length;
  private final int first;

  private LogFile(BlockDevice device, int blockBytes, long[] places, Block superblock)
      throws FsException {
    this.device = device;
    this.blockBytes = blockBytes;
    this.places = places;
    this.superblock = superblock;
    MemorySegment s = superblock.segment();
    check(s, blockBytes, places);
    length = getInt(s, LogLayout.S_MAXLEN);
    first = getInt(s, LogLayout.S_FIRST);
    boolean v2 = getInt(s, LogLayout.BLOCKTYPE) == LogLayout.SUPERBLOCK_V2;
    byte[] uuid = new byte[LogLayout.UUID_BYTES];
    MemorySegment.copy(s, ValueLayout.JAVA_BYTE, LogLayout.S_UUID, uuid, 0, 16);
    format =
        new LogFormat(
            blockBytes,
            v2 ? getInt(s, LogLayout.S_FEATURE_COMPAT) : 0,
            v2 ? getInt(s, LogLayout.S_FEATURE_INCOMPAT) : 0,
            uuid);
  }

  /// Reads and validates the superblock.
  ///
  /// @param places the device blocks of the journal in order
  /// @throws FsException `EUCLEAN` with a description if the superblock is inconsistent, or
  ///   `EOPNOTSUPP` with the name of an unknown feature
  public static LogFile open(BlockDevice device, int blockBytes, long[] places) throws IOException {
    if (places.length < 4) {
      throw FsException.corrupt(0, -1, "a journal of " + places.length + " blocks");
    }
    for (long place : places) {
      if (place <= 0 || place >= device.lengthBytes() / blockBytes) {
        throw FsException.corrupt(0, place, "the journal has a block outside of the device");
      }
    }
    Block superblock = scratch(blockBytes);
    try {
      device.read(places[0] * blockBytes, superblock, 0, blockBytes);
      return new LogFile(device, blockBytes, places.clone(), superblock);
    } catch (IOException | RuntimeException refused) {
      superblock.release();
      throw refused;
    }
  }

  private static void check(MemorySegment s, int blockBytes, long[] places) throws FsException {
    int type = getInt(s, LogLayout.BLOCKTYPE);
    if (getInt(s, 0) != LogLayout.MAGIC
        || (type != LogLayout.SUPERBLOCK_V1 && type != LogLayout.SUPERBLOCK_V2)) {
      throw FsException.corrupt(0, places[0], "no journal superblock");
    }
    if (type == LogLayout.SUPERBLOCK_V2) {
      checkFeatures(s, places[0]);
    }
    int bytes = getInt(s, LogLayout.S_BLOCKSIZE);
    int length = getInt(s, LogLayout.S_MAXLEN);
    int first = getInt(s, LogLayout.S_FIRST);
    int start = getInt(s, LogLayout.S_START);
    if (bytes != blockBytes
        || length < 4
        || length > places.length
        || first < 1
        || first > length - 3
        || (start != 0 && (start < first || start >= length))) {
      throw FsException.corrupt(
          0,
          places[0],
          "journal superblock with blocks of "
              + bytes
              + " bytes, length "
              + length
              + " (it has "
              + places.length
              + "), first "
              + first
              + ", start "
              + start);
    }
  }

  /// Checks that the journal has no recorded error and belongs to a single file system.
  ///
  /// @throws FsException `EUCLEAN` if the log is shared by several file systems, or if it contains
  ///   an error
  public void requireSound() throws FsException {
    MemorySegment s = superblock.segment();
    int error = getInt(s, LogLayout.S_ERRNO);
    if (error != 0) {
      throw FsException.corrupt(0, places[0], "a journal in which error " + error + " was noted");
    }
    int users = getInt(s, LogLayout.S_NR_USERS);
    boolean counted = getInt(s, LogLayout.BLOCKTYPE) == LogLayout.SUPERBLOCK_V2;
    if (counted && users != 0 && users != 1) {
      throw FsException.corrupt(0, places[0], "a journal of " + users + " file systems");
    }
  }

  private static void checkFeatures(MemorySegment s, long place) throws FsException {
    int incompat = getInt(s, LogLayout.S_FEATURE_INCOMPAT);
    int unknown = incompat & ~KNOWN_INCOMPAT;
    if (unknown != 0) {
      String name =
          (unknown & LogLayout.INCOMPAT_FAST_COMMIT) != 0
              ? "fast_commit"
              : "incompatible 0x" + Integer.toHexString(unknown);
      throw FsException.of(Errno.EOPNOTSUPP, "journal with the feature " + name);
    }
    int readOnly = getInt(s, LogLayout.S_FEATURE_RO_COMPAT);
    if (readOnly != 0) {
      throw FsException.of(
          Errno.EOPNOTSUPP,
          "journal with the read-only-compatible feature 0x" + Integer.toHexString(readOnly));
    }
    boolean v2 = (incompat & LogLayout.INCOMPAT_CSUM_V2) != 0;
    boolean v3 = (incompat & LogLayout.INCOMPAT_CSUM_V3) != 0;
    if (!v2 && !v3) {
      return;
    }
    int kind = s.get(ValueLayout.JAVA_BYTE, LogLayout.S_CHECKSUM_TYPE);
    if ((v2 && v3) || kind != LogLayout.CRC32C_CHECKSUM) {
      throw FsException.of(Errno.EOPNOTSUPP, "journal with checksums of type " + kind);
    }
    if (getInt(s, LogLayout.S_CHECKSUM) != LogFormat.superblockSum(s)) {
      throw FsException.corrupt(0, place, "the journal superblock's checksum is wrong");
    }
  }

  /// Writes the superblock of an empty journal.
  public static void create(BlockDevice device, int blockBytes, long[] places, byte[] uuid)
      throws IOException {
    if (places.length < 64) {
      throw new IllegalArgumentException("a journal has 64 blocks or more, not " + places.length);
    }
    Block block = scratch(blockBytes);
    try {
      MemorySegment s = block.segment();
      LogLayout.header(s, LogLayout.SUPERBLOCK_V2, 0);
      setInt(s, LogLayout.S_BLOCKSIZE, blockBytes);
      setInt(s, LogLayout.S_MAXLEN, places.length);
      setInt(s, LogLayout.S_FIRST, 1);
      setInt(s, LogLayout.S_SEQUENCE, 1);
      int incompat = LogLayout.INCOMPAT_REVOKE | LogLayout.INCOMPAT_CSUM_V3;
      setInt(s, LogLayout.S_FEATURE_INCOMPAT, incompat);
      setInt(s, LogLayout.S_NR_USERS, 1);
      s.set(ValueLayout.JAVA_BYTE, LogLayout.S_CHECKSUM_TYPE, (byte) LogLayout.CRC32C_CHECKSUM);
      MemorySegment.copy(uuid, 0, s, ValueLayout.JAVA_BYTE, LogLayout.S_UUID, 16);
      setInt(s, LogLayout.S_CHECKSUM, LogFormat.superblockSum(s));
      device.write(places[0] * blockBytes, block, 0, blockBytes);
    } finally {
      block.release();
    }
  }

  /// Allocates memory for one block of the log with a lease that is held by the caller.
  static Block scratch(int bytes) {
    Block block = Block.allocate(new Account("journal", bytes), bytes);
    if (block == null) {
      throw new AssertionError("an account of its own has room");
    }
    return block;
  }

  LogFormat format() {
    return format;
  }

  int blockBytes() {
    return blockBytes;
  }

  int first() {
    return first;
  }

  /// Returns the number of blocks that are available to transactions.
  int capacity() {
    return length - first;
  }

  /// Returns the first block of the log to replay, or 0 if there is nothing to replay.
  int start() {
    return getInt(superblock.segment(), LogLayout.S_START);
  }

  int sequence() {
    return getInt(superblock.segment(), LogLayout.S_SEQUENCE);
  }

  /// Returns the block that follows the given block by `count` blocks, wrapping around at the end
  /// of the log.
  int after(int index, int count) {
    int next = index + count;
    return next >= length ? next - (length - first) : next;
  }

  /// Returns the position in bytes on the device of the given block of the journal.
  long position(int index) {
    return places[index] * blockBytes;
  }

  void read(int index, Block into) throws IOException {
    device.read(position(index), into, 0, blockBytes);
  }

  /// Writes the beginning of the log to the superblock, and flushes the device.
  ///
  /// @param start the first block to replay, or 0 if there is nothing to replay
  void mark(int start, int sequence, int errno) throws IOException {
    MemorySegment s = superblock.segment();
    setInt(s, LogLayout.S_START, start);
    setInt(s, LogLayout.S_SEQUENCE, sequence);
    setInt(s, LogLayout.S_ERRNO, errno);
    if (getInt(s, LogLayout.BLOCKTYPE) == LogLayout.SUPERBLOCK_V2) {
      int incompat = getInt(s, LogLayout.S_FEATURE_INCOMPAT) | LogLayout.INCOMPAT_REVOKE;
      setInt(s, LogLayout.S_FEATURE_INCOMPAT, incompat);
      // Commits are always awaited, and have either per-block checksums or no checksums.
      int compat = getInt(s, LogLayout.S_FEATURE_COMPAT) & ~LogLayout.COMPAT_CHECKSUM;
      setInt(s, LogLayout.S_FEATURE_COMPAT, compat);
      if (format.summed()) {
        setInt(s, LogLayout.S_CHECKSUM, LogFormat.superblockSum(s));
      }
    }
    device.write(position(0), superblock, 0, blockBytes);
    device.flush();
  }

  @Override
  public void close() {
    superblock.release();
  }
}
