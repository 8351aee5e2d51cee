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

/// One worker's message and answer, with the memory for both. Of that worker.
final class FuseExchange {
  private static final int DROP_BYTES = FuseLayout.OUT_BYTES + FuseLayout.NOTICE_BYTES;

  private static final int NOBODY = 65_534;
  private static final int PAGE_BYTES = 4096;
  private static final int SET_GID = 0x400;
  private static final int GROUP_EXECUTE = 0x8;
  private static final int[] NO_GROUPS = {};

  /// Where content lies that is read by copying: behind every structure of a request.
  static final int CONTENT = PAGE_BYTES;

  /// The largest write with its header; a page more, for content that is read by copying.
  static final int BUFFER_BYTES = FuseSession.MAX_TRANSFER + PAGE_BYTES;

  private static final int VECTOR_BYTES = IoVec.LIMIT * IoVec.SIZE;
  private static final int REPLY_BYTES = FuseLayout.OUT_BYTES + FuseReply.MAX_BODY_BYTES;

  /// Memory of one worker.
  static final long BYTES = BUFFER_BYTES + REPLY_BYTES + (long) VECTOR_BYTES;

  final FuseSession session;
  final FileTree tree;
  final FuseNodes nodes;
  final FuseRequest request;
  final FuseReply reply;
  final Block buffer;
  final Memory memory;

  /// The worker's descriptor of the device.
  int device;

  /// An inode that the answer tells the kernel of, or 0.
  long told;

  /// Whether the answer was not at hand.
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

  /// How the kernel is to read a file that it opens.
  int openFlags() {
    return session.remembers() ? FuseOpcode.FOPEN_KEEP_CACHE : FuseOpcode.FOPEN_DIRECT_IO;
  }

  /// The inode the message is about.
  long inode() {
    return nodes.swap(request.node());
  }

  /// What comes may wait for a device, the journal or a lock.
  void slow() {
    if (!slow) {
      slow = true;
      session.readers.cover();
    }
  }

  /// The kernel has forgotten a number so many times.
  void forget(long node, long count) throws IOException {
    long inode = nodes.swap(node);
    if (nodes.forget(inode, count)) {
      slow();
      tree.release(inode);
    }
  }

  /// Attributes of a file, at hand or not.
  FileAttributes attributes(long inode) throws IOException {
    FileAttributes now = tree.tryAttributes(inode);
    if (now != null) {
      return now;
    }
    slow();
    return tree.attributes(inode);
  }

  /// The caller. The kernel has checked what it may (`default_permissions`), with all its groups,
  /// which the message does not have.
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

  /// The caller, of which the kernel says that its writing takes set-id bits away.
  Caller withoutPrivilege() throws IOException {
    int uid = request.uid();
    int[] groups = losesByGroup(inode()) ? credentials().groups() : NO_GROUPS;
    return new Caller(uid == 0 ? NOBODY : uid, request.gid(), groups);
  }

  /// The caller that asks for a change of owner or of content, where the kernel does not say
  /// whether set-id bits stay.
  Caller changing() throws IOException {
    if (!FuseAttributes.isSetId(attributes(inode()))) {
      return caller();
    }
    FuseCredentials known = credentials();
    return Caller.checked(request.uid(), request.gid(), known.keepsSetId(), known.groups());
  }

  /// The caller that asks for a cut of which the kernel says that it takes set-id bits away.
  Caller cutting() throws IOException {
    int[] groups = losesByGroup(inode()) ? credentials().groups() : NO_GROUPS;
    return Caller.checked(request.uid(), request.gid(), false, groups);
  }

  /// Whether a file loses its set-group-id bit by those alone that are not in its group.
  private boolean losesByGroup(long inode) throws IOException {
    return (attributes(inode).mode() & (SET_GID | GROUP_EXECUTE)) == SET_GID;
  }

  private FuseCredentials credentials() {
    return FuseCredentials.of(request.thread(), request.uid(), request.gid());
  }

  /// A directory has lost a name. What the kernel keeps of its list would show the name at
  /// positions that it knows, and ends a listing that goes on behind the name. So from now on it
  /// keeps no list of the directory, until it has forgotten it, and so no stream of it is open.
  void lostName(long directory) {
    if (session.remembers() && nodes.loseName(directory)) {
      dropList(directory);
    }
  }

  /// A listing is at its end: the kernel would keep it.
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

  /// Of a directory whose lock the asking process has: no listing has locked a page of it.
  private void dropList(long directory) {
    dropList(directory, device);
  }

  /// Has the kernel drop what it keeps of a directory; that it keeps nothing is no error.
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
    m.set(JAVA_LONG, FuseLayout.OUT_BYTES + FuseLayout.NOTICE_LEN, 0); // all of it
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
