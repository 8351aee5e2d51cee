package sluice.sys.uring;

import java.lang.foreign.MemorySegment;
import sluice.sys.IoVec;
import sluice.sys.call.Layout;
import sluice.sys.call.Ranges;

/// The two commands of FUSE over io_uring (Linux 6.14). The command data of a submission entry
/// contains a `struct fuse_uring_cmd_req`. The commands require a ring that was opened with
/// [IoUring#SETUP_SQE128].
///
/// This class is stateless, and its methods must be called by the owner of the ring. Each command
/// completes with 0 when the memory of the entry contains a request, or with a negative errno when
/// the entry is no longer registered, which is -ENOTCONN if the connection was closed.
///
/// ```
///  byte 0       8           16    18        24
///      +-------+-----------+-----+---------+
///      | flags | commit_id | qid | padding |
///      +-------+-----------+-----+---------+
/// ```
///
/// ```c
/// struct fuse_uring_cmd_req { uint64_t flags; uint64_t commit_id; uint16_t qid;
///                             uint8_t padding[6]; };
/// ```
public final class FuseUring {
  static final Layout LAYOUT = Layout.of("struct fuse_uring_cmd_req");
  static final int FLAGS = LAYOUT.u64("flags");
  static final int COMMIT_ID = LAYOUT.u64("commit_id");
  static final int QID = LAYOUT.u16("qid");
  static final int PADDING = LAYOUT.array("padding", 1, 6);

  static final int FUSE_IO_URING_CMD_REGISTER = 1;
  static final int FUSE_IO_URING_CMD_COMMIT_AND_FETCH = 2;

  /// The number of memory ranges with which an entry is registered, which are the headers and the
  /// payload.
  public static final int RANGES = 2;

  private FuseUring() {}

  /// Stages the registration of an entry. The kernel copies the vector during the submission, and
  /// may write to the ranges while a command of the entry is pending.
  ///
  /// @param fd the descriptor of `/dev/fuse` for a connection whose INIT has been answered
  /// @param queue the number of a processor
  /// @param vector [#RANGES] entries of [IoVec]
  public static void register(
      SubmissionQueue submission, int fd, int queue, MemorySegment vector, long userData) {
    long address = Ranges.readable(vector, 0, (long) RANGES * IoVec.SIZE);
    submission.command(fd, FUSE_IO_URING_CMD_REGISTER, address, RANGES, userData);
    submission.commandData(QID, queue);
  }

  /// Stages a command that commits a reply and fetches the next request.
  ///
  /// @param commitId the id that was received with the request
  public static void commitAndFetch(
      SubmissionQueue submission, int fd, int queue, long commitId, long userData) {
    submission.command(fd, FUSE_IO_URING_CMD_COMMIT_AND_FETCH, 0, 0, userData);
    submission.commandData(COMMIT_ID, commitId);
    submission.commandData(QID, queue);
  }
}
