package sluice.sys;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import sluice.sys.call.Kernel;
import sluice.sys.call.Layout;
import sluice.sys.call.SystemCall;

/// A cursor over the entries of a directory that uses `getdents64(2)`.
///
/// Instances are confined to one thread. The entries `.` and `..` are skipped, unless the directory
/// was opened by [#openAt]. To read a directory, call [#open] with its descriptor, and then call
/// [#next] until it returns 0 or a negative value.
///
/// ```
///  byte 0       8       16         18       19
///      +-------+-------+----------+--------+------------------+
///      | d_ino | d_off | d_reclen | d_type | d_name, NUL, pad |
///      +-------+-------+----------+--------+------------------+
/// ```
///
/// ```c
/// struct linux_dirent64 { __u64 d_ino; __s64 d_off; __u16 d_reclen; __u8 d_type; char d_name[]; };
/// ```
///
/// At most 32 KiB of entries are read at a time.
public final class DirectoryEntries {
  /// The layout of the kernel's structure. The C library's `struct dirent64` begins with the same
  /// members.
  static final Layout LAYOUT = Layout.of("struct dirent64");

  static final int D_INO = LAYOUT.u64("d_ino");
  static final int D_OFF = LAYOUT.u64("d_off");
  static final int D_RECLEN = LAYOUT.u16("d_reclen");
  static final int D_TYPE = LAYOUT.u8("d_type");
  static final int D_NAME = LAYOUT.array("d_name", 1, 256);

  public static final int DT_UNKNOWN = 0;
  public static final int DT_FIFO = 1;
  public static final int DT_CHR = 2;
  public static final int DT_DIR = 4;
  public static final int DT_BLK = 6;
  public static final int DT_REG = 8;
  public static final int DT_LNK = 10;
  public static final int DT_SOCK = 12;

  private static final int BUFFER_BYTES = 32 * 1024;

  private final MemorySegment buffer = Arena.ofAuto().allocate(BUFFER_BYTES, Long.BYTES);
  private int fd = -1;
  private int filled;
  private int following;
  private int current;
  private boolean dots;

  /// Begins reading another directory at the position of its descriptor (see [Files#rewind]).
  public void open(int directoryFd) {
    begin(directoryFd, false);
  }

  /// Begins reading another directory after the entry that has the given [#nextOffset], including
  /// `.` and `..`.
  ///
  /// @param offset the offset, or 0 for the beginning
  /// @return 0 or a negative errno
  public int openAt(int directoryFd, long offset) {
    begin(directoryFd, true);
    long result = Kernel.call(SystemCall.LSEEK, directoryFd, offset, 0);
    return result < 0 ? (int) result : 0;
  }

  private void begin(int directoryFd, boolean withDots) {
    dots = withDots;
    fd = directoryFd;
    filled = 0;
    following = 0;
    current = 0;
  }

  /// Advances to the next entry.
  ///
  /// @return 1 if there is an entry, 0 at the end, or a negative errno
  public int next() {
    do {
      if (following == filled) {
        filled = (int) Kernel.callWithBuffer(SystemCall.GETDENTS64, fd, buffer, BUFFER_BYTES);
        following = 0;
        if (filled <= 0) {
          int result = filled;
          filled = 0;
          return result;
        }
      }
      current = following;
      following += buffer.get(JAVA_SHORT, current + D_RECLEN) & 0xffff;
    } while (!dots && isDot());
    return 1;
  }

  private boolean isDot() {
    long name = (long) current + D_NAME;
    if (buffer.get(JAVA_BYTE, name) != '.') {
      return false;
    }
    byte second = buffer.get(JAVA_BYTE, name + 1);
    return second == 0 || (second == '.' && buffer.get(JAVA_BYTE, name + 2) == 0);
  }

  /// Returns the name of the entry in bytes.
  public byte[] nameBytes() {
    int length = 0;
    while (buffer.get(JAVA_BYTE, (long) current + D_NAME + length) != 0) {
      length++;
    }
    return buffer.asSlice((long) current + D_NAME, length).toArray(JAVA_BYTE);
  }

  /// Returns the name of the entry, decoded as UTF-8.
  public String name() {
    return new String(nameBytes(), StandardCharsets.UTF_8);
  }

  /// Returns the type of the entry as a `DT_` constant, or [#DT_UNKNOWN] if it is not reported by
  /// the file system.
  public int type() {
    return buffer.get(JAVA_BYTE, current + D_TYPE);
  }

  /// Returns the offset at which the directory can be continued after this entry by [#openAt].
  public long nextOffset() {
    return buffer.get(JAVA_LONG, current + D_OFF);
  }

  /// Returns the inode number of the entry.
  public long inode() {
    return buffer.get(JAVA_LONG, current + D_INO);
  }
}
