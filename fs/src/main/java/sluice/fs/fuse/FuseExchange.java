package sluice.fs.fuse;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import sluice.fs.Caller;
import sluice.fs.FileAttributes;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.memory.Account;
import sluice.memory.Memory;
import sluice.memory.block.Block;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.IoVec;

/// The request and the reply of a worker, including their memory. Instances are confined to that
/// worker.
final class FuseExchange {
  private static final int DROP_BYTES = FuseLayout.OUT_BYTES + FuseLayout.NOTICE_BYTES;

  private static final int NOBODY = 65_534;
  private static final int PAGE_BYTES = 4096;
  private static final int SET_GID = 0x400;
  private static final int GROUP_EXECUTE = 0x8;
  private static final int[] NO_GROUPS = {};

  /// The offset of content that is read by copying. It follows the structures of a request.
  static final int CONTENT = PAGE_BYTES;

  /// The size of the largest write including its header, plus one page for content that is read by
  /// copying.
  static final int BUFFER_BYTES = FuseSession.MAX_TRANSFER + PAGE_BYTES;

  private static final int VECTOR_BYTES = IoVec.LIMIT * IoVec.SIZE;
  private static final int REPLY_BYTES = FuseLayout.OUT_BYTES + FuseReply.MAX_BODY_BYTES;

  /// The total amount of memory that is used by one worker.
  static final long BYTES = BUFFER_BYTES + REPLY_BYTES + (long) VECTOR_BYTES;

  final FuseSession session;
  final FileTree tree;
  final FuseNodes nodes;
  final FuseRequest request;
  final FuseReply reply;
  final Block buffer;
  final Memory memory;

  /// The worker's descriptor of the FUSE device.
  int device;

  /// The inode that the reply reports to the kernel, or 0 if there is none.
  long told;

  /// True if the reply required a slow operation.
  boolean slow;

  private Caller caller = Caller.ROOT;

  FuseExchange(FuseSession session, Account account) throws IOException {
    this.session = session;
    tree = session.tree;
    nodes = session.nodes;
    buffer = allocate(account, BUFFER_BYTES);
    memory = Memory.over(buffer, 0, BUFFER_BYTES);
    request = new FuseRequest(buffer);
    reply = new FuseReply(allocate(account, REPLY_BYTES), allocate(account, VECTOR_BYTES));
  }

  private static Block allocate(Account account, int bytes) throws IOException {
    Block block = Block.allocate(account, bytes);
    if (block == null) {
      throw FsException.of(Errno.ENOMEM, "no memory for a FUSE worker");
    }
    return block;
  }

  /// Returns the flags with which the kernel opens a file.
  int openFlags() {
    return session.remembers() ? FuseOpcode.FOPEN_KEEP_CACHE : FuseOpcode.FOPEN_DIRECT_IO;
  }

  /// Returns the inode to which the message refers.
  long inode() {
    return nodes.swap(request.node());
  }

  /// Marks the start of an operation that may wait for a device, the journal or a lock.
  void slow() {
    if (!slow) {
      slow = true;
      session.readers.cover();
    }
  }

  /// Decrements the lookup count of an inode that the kernel has forgotten.
  void forget(long node, long count) throws IOException {
    long inode = nodes.swap(node);
    if (nodes.forget(inode, count)) {
      slow();
      tree.release(inode);
    }
  }

  /// Returns the attributes of a file. This method may block.
  FileAttributes attributes(long inode) throws IOException {
    FileAttributes now = tree.tryAttributes(inode);
    if (now != null) {
      return now;
    }
    slow();
    return tree.attributes(inode);
  }

  /// Returns the caller. The kernel has already checked permissions (`default_permissions`) using
  /// all groups of the caller, which are not contained in the message.
  Caller caller() {
    int uid = request.uid();
    int gid = request.gid();
    Caller last = caller;
    if (last.uid() != uid || last.gid() != gid) {
      last = Caller.checked(uid, gid);
      caller = last;
    }
    return last;
  }

  /// Returns the caller of a write for which the kernel requests that the set-user-id and
  /// set-group-id bits are cleared.
  Caller withoutPrivilege() throws IOException {
    int uid = request.uid();
    int[] groups = losesByGroup(inode()) ? credentials().groups() : NO_GROUPS;
    return new Caller(uid == 0 ? NOBODY : uid, request.gid(), groups);
  }

  /// Returns the caller of a change of the owner or the content for which the kernel does not
  /// specify whether the set-user-id and set-group-id bits are preserved.
  Caller changing() throws IOException {
    if (!FuseAttributes.isSetId(attributes(inode()))) {
      return caller();
    }
    FuseCredentials known = credentials();
    return Caller.checked(request.uid(), request.gid(), known.keepsSetId(), known.groups());
  }

  /// Returns the caller of a truncation for which the kernel requests that the set-user-id and
  /// set-group-id bits are cleared.
  Caller cutting() throws IOException {
    int[] groups = losesByGroup(inode()) ? credentials().groups() : NO_GROUPS;
    return Caller.checked(request.uid(), request.gid(), false, groups);
  }

  /// Returns true if the set-group-id bit is cleared only by callers that do not belong to the
  /// file's group.
  private boolean losesByGroup(long inode) throws IOException {
    return (attributes(inode).mode() & (SET_GID | GROUP_EXECUTE)) == SET_GID;
  }

  private FuseCredentials credentials() {
    return FuseCredentials.of(request.thread(), request.uid(), request.gid());
  }

  /// Records that a directory has lost a name. A listing that is cached by the kernel would still
  /// contain the name at cached positions, and would end prematurely if it is continued after the
  /// name. Therefore the kernel is not allowed to cache any listing of the directory until it has
  /// forgotten the directory, at which point no stream of the directory is open.
  void lostName(long directory) {
    if (session.remembers() && nodes.loseName(directory)) {
      dropList(directory);
    }
  }

  /// Handles the end of a listing that would otherwise be cached by the kernel.
  void listed(long directory) {
    if (session.remembers() && nodes.hasLostNames(directory)) {
      FuseNotices notices = session.notices;
      if (notices == null) {
        dropList(directory);
      } else {
        notices.send(fd -> dropList(directory, fd));
      }
    }
  }

  /// Drops the cached listing of a directory whose lock is held by the calling process. No other
  /// listing can have locked one of its pages.
  private void dropList(long directory) {
    dropList(directory, device);
  }

  /// Makes the kernel drop its cached listing of a directory. It is not an error if there is no
  /// such listing.
  private void dropList(long directory, int fd) {
    try (Arena arena = Arena.ofConfined()) {
      dropList(directory, fd, arena.allocate(DROP_BYTES, Long.BYTES));
    }
  }

  private void dropList(long directory, int fd, MemorySegment m) {
    m.set(JAVA_INT, FuseLayout.OUT_LEN, DROP_BYTES);
    m.set(JAVA_INT, FuseLayout.OUT_ERROR, FuseOpcode.NOTIFY_INVAL_INODE);
    m.set(JAVA_LONG, FuseLayout.OUT_UNIQUE, 0);
    m.set(JAVA_LONG, FuseLayout.OUT_BYTES + FuseLayout.NOTICE_INO, nodes.swap(directory));
    m.set(JAVA_LONG, FuseLayout.OUT_BYTES + FuseLayout.NOTICE_OFF, 0);
    m.set(JAVA_LONG, FuseLayout.OUT_BYTES + FuseLayout.NOTICE_LEN, 0); // the whole directory
    int result = Files.write(fd, m, 0, DROP_BYTES);
    if (result < 0 && result != -Errno.ENOENT && !session.closing()) {
      session.report(FuseOpcode.READDIR, directory, new IOException(Errno.name(-result)));
    }
  }

  void close() {
    memory.close();
    buffer.release();
    reply.close();
  }
}
