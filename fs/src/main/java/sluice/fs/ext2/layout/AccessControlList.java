package sluice.fs.ext2.layout;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;
import sluice.fs.FsException;
import sluice.sys.Errno;

/// Converts access control lists (POSIX 1003.1e, draft 17) between the format of ext2 and the
/// format of the system call. This class is stateless and thread-safe.
///
/// ```
/// in an image, version 1                      as system.posix_acl_access, version 2
///   __le32 a_version;                           __le32 a_version;
///   struct { __le16 e_tag, e_perm;              struct { __le16 e_tag, e_perm;
///            __le32 e_id; /* users and                   __le32 e_id; /* -1 but for users
///                     groups only */ } [];                        and groups */ } [];
/// ```
public final class AccessControlList {
  private static final int STORED_VERSION = 1;
  private static final int VERSION = 2;
  private static final int HEADER = 4;
  private static final int SHORT_ENTRY = 4;
  private static final int ENTRY = 8;

  private static final int OWNER = 1;
  private static final int USER = 2;
  private static final int OWNING_GROUP = 4;
  private static final int GROUP = 8;
  private static final int MASK = 0x10;
  private static final int OTHER = 0x20;

  /// The entries that must occur exactly once in each list.
  private static final int NEEDED = OWNER | OWNING_GROUP | OTHER;

  private AccessControlList() {}

  /// Converts a stored list to the format of the system call.
  ///
  /// @throws FsException `EUCLEAN` if the stored bytes are not a valid list
  public static byte[] ofDevice(byte[] stored, long inode) throws FsException {
    byte[] list = converted(stored, STORED_VERSION, VERSION);
    if (list == null) {
      throw FsException.corrupt(inode, -1, "its access control list is malformed");
    }
    return list;
  }

  /// Converts a list to the stored format.
  ///
  /// @throws FsException `EINVAL` if the list is not valid
  public static byte[] toDevice(byte[] list) throws FsException {
    byte[] stored = converted(list, VERSION, STORED_VERSION);
    if (stored == null) {
      throw FsException.of(
          Errno.EINVAL, list.length + " bytes that are not a valid access control list");
    }
    return stored;
  }

  private static boolean hasId(int tag) {
    return tag == USER || tag == GROUP;
  }

  private static int entryBytes(int version, int tag) {
    return version == VERSION || hasId(tag) ? ENTRY : SHORT_ENTRY;
  }

  /// Converts a list, or returns null if the list is not valid.
  private static byte @Nullable [] converted(byte[] from, int version, int wanted) {
    ByteBuffer in = ByteBuffer.wrap(from).order(ByteOrder.LITTLE_ENDIAN);
    if (from.length < HEADER || in.getInt() != version) {
      return null;
    }
    ByteBuffer out = ByteBuffer.allocate(2 * from.length).order(ByteOrder.LITTLE_ENDIAN);
    out.putInt(wanted);
    int seen = 0;
    while (in.remaining() >= SHORT_ENTRY) {
      int tag = in.getShort() & 0xFFFF;
      int permissions = in.getShort() & 0xFFFF;
      int more = entryBytes(version, tag) - SHORT_ENTRY;
      int last = Integer.highestOneBit(seen);
      boolean inPlace = tag > last || (tag == last && hasId(tag));
      if (!inPlace || Integer.bitCount(tag) != 1 || tag > OTHER || permissions > 7) {
        return null;
      }
      if (in.remaining() < more) {
        return null;
      }
      int id = more > 0 ? in.getInt() : -1;
      seen |= tag;
      out.putShort((short) tag).putShort((short) permissions);
      if (entryBytes(wanted, tag) == ENTRY) {
        out.putInt(hasId(tag) ? id : -1);
      }
    }
    boolean masked = (seen & (USER | GROUP)) == 0 || (seen & MASK) != 0;
    if (in.hasRemaining() || (seen & NEEDED) != NEEDED || !masked) {
      return null;
    }
    byte[] list = new byte[out.position()];
    out.get(0, list);
    return list;
  }
}
