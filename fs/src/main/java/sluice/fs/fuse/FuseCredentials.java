package sluice.fs.fuse;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import sluice.sys.Files;

/// The credentials of a calling thread that are not contained in a FUSE message: its supplementary
/// groups, and whether it has the capability `CAP_FSETID`. Instances are immutable and thread-safe.
///
/// Both are read from `/proc/TID/status` (`proc_pid_status(5)`). They are the credentials at the
/// time of the call because the thread is waiting for the reply. If a thread acts with the rights
/// of another user, as the kernel's NFS server does, the ids in this file differ from the ids in
/// the message, and its credentials are treated as unknown.
///
/// @param keepsSetId true if it has `CAP_FSETID` in the user namespace of this process
/// @param groups supplementary groups
@SuppressWarnings("ArrayRecordComponent") // never compared
record FuseCredentials(boolean keepsSetId, int[] groups) {
  /// The credentials of an unknown caller. Its changes clear the set-user-id and set-group-id bits.
  static final FuseCredentials UNKNOWN = new FuseCredentials(false, new int[0]);

  private static final int CAP_FSETID = 4;
  private static final int FILE_SYSTEM_ID = 3;
  private static final int MAX_LINK = 64;

  /// Returns the credentials of the given thread.
  ///
  /// @param thread the id of the calling thread, or 0 if it is not visible to this process
  static FuseCredentials of(int thread, int uid, int gid) {
    if (thread <= 0) {
      return UNKNOWN;
    }
    try (FileInputStream file = new FileInputStream("/proc/" + thread + "/status")) {
      FuseCredentials found =
          parse(new String(file.readAllBytes(), StandardCharsets.ISO_8859_1), uid, gid);
      return found != null && inOurNamespace(thread) ? found : UNKNOWN;
    } catch (IOException e) {
      return UNKNOWN; // the thread has ended
    }
  }

  /// Parses a status file. Returns null if its ids differ from the ids in the message.
  static @Nullable FuseCredentials parse(String status, int uid, int gid) {
    long[] uids = numbers(status, "Uid:", 10);
    long[] gids = numbers(status, "Gid:", 10);
    long[] capabilities = numbers(status, "CapEff:", 16);
    if (uids.length <= FILE_SYSTEM_ID || gids.length <= FILE_SYSTEM_ID) {
      return null;
    }
    if ((int) uids[FILE_SYSTEM_ID] != uid || (int) gids[FILE_SYSTEM_ID] != gid) {
      return null;
    }
    boolean keeps = capabilities.length == 1 && (capabilities[0] >> CAP_FSETID & 1) != 0;
    int[] groups =
        Arrays.stream(numbers(status, "Groups:", 10)).mapToInt(group -> (int) group).toArray();
    return new FuseCredentials(keeps, groups);
  }

  private static long[] numbers(String status, String field, int radix) {
    return status
        .lines()
        .filter(line -> line.startsWith(field))
        .flatMap(line -> Arrays.stream(line.substring(field.length()).strip().split("\\s+", -1)))
        .filter(word -> !word.isEmpty())
        .mapToLong(word -> Long.parseUnsignedLong(word, radix))
        .toArray();
  }

  private static boolean inOurNamespace(int thread) {
    byte[] its = new byte[MAX_LINK];
    byte[] ours = new byte[MAX_LINK];
    int length = Files.readlink(Files.AT_FDCWD, "/proc/" + thread + "/ns/user", its);
    int expected = Files.readlink(Files.AT_FDCWD, "/proc/self/ns/user", ours);
    return length > 0 && length == expected && Arrays.equals(its, ours);
  }
}
