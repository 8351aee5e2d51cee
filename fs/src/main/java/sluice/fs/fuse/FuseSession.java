package sluice.fs.fuse;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.sys.Errno;

/// One connection with the kernel: what was agreed with it, and what its workers share. Any worker
/// calls; [#init] once, before the others.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | flags, overRings, failure | the worker that gets INIT | volatile, or after [#begun] | volatile |
/// | ringsReady | before the first worker starts | plain | plain |
/// | closing | the thread that ends it | volatile | volatile |
/// | synced | any worker | volatile | volatile |
/// | ending | the thread that mounts, before the first worker starts | plain | plain |
/// | endFailure | the worker that gets DESTROY | volatile | volatile |
/// | broken | any worker | volatile | volatile |
final class FuseSession {
  /// Longest content of one message.
  static final int MAX_TRANSFER = 1 << 20;

  private static final int PAGE_BYTES = 4096;
  private static final int OLD_MAX_TRANSFER = 32 * PAGE_BYTES;
  private static final int MAX_BACKGROUND = 64;
  private static final int MESSAGES = 20;

  /// What is asked for if the kernel has it. Not asked for: the write-back cache (a write has
  /// reached the tree when it returns), the kernel's O_TRUNC (files are opened without a message),
  /// locks (then the kernel keeps them), ACLs (the tree shows none), asynchronous direct transfers
  /// (the kernel drops its pages before such a write and not behind it, so that a reader beside it
  /// keeps the old ones).
  private static final int WANTED =
      FuseOpcode.ASYNC_READ
          | FuseOpcode.EXPORT_SUPPORT
          | FuseOpcode.BIG_WRITES
          | FuseOpcode.DO_READDIRPLUS
          | FuseOpcode.READDIRPLUS_AUTO
          | FuseOpcode.NO_OPEN_SUPPORT
          | FuseOpcode.PARALLEL_DIROPS
          | FuseOpcode.MAX_PAGES
          | FuseOpcode.CACHE_SYMLINKS
          | FuseOpcode.NO_OPENDIR_SUPPORT
          | FuseOpcode.HANDLE_KILLPRIV_V2
          | FuseOpcode.SETXATTR_EXT;

  /// What lets the kernel read and list without asking.
  private static final int REMEMBERING =
      FuseOpcode.NO_OPEN_SUPPORT | FuseOpcode.NO_OPENDIR_SUPPORT | FuseOpcode.CACHE_SYMLINKS;

  final FileTree tree;
  final FuseNodes nodes;
  final FuseReaders readers = new FuseReaders();
  final FuseUnflushed unflushed;

  /// Set before the first worker starts; null where workers send notices themselves.
  @Nullable FuseNotices notices;

  /// How long the kernel may use what it was told. 0 where it is to remember nothing, since files
  /// change in other ways too.
  final long validSeconds;

  /// Whether reading is not noted.
  final boolean readOnly;

  private final Consumer<String> messages;
  private final AtomicInteger told = new AtomicInteger();
  private final CountDownLatch begun = new CountDownLatch(1);
  private volatile int flags;
  private boolean ringsReady;
  private volatile boolean overRings;
  private volatile boolean closing;
  private volatile boolean broken;
  private volatile @Nullable IOException failure;
  private volatile boolean synced;
  private final boolean closesTree;
  private Runnable ending = () -> {};
  private volatile @Nullable IOException endFailure;

  FuseSession(FileTree tree, FuseOptions options, Consumer<String> messages) {
    this.tree = tree;
    validSeconds = tree.changesOnlyHere() ? options.validSeconds() : 0;
    readOnly = options.readOnly();
    this.messages = messages;
    nodes = new FuseNodes(tree, !remembers());
    unflushed = new FuseUnflushed(tree, options.stability().flushOnClose());
    closesTree = options.stability().closesTree();
  }

  /// Whether the kernel keeps names, attributes, content and lists of directories.
  boolean remembers() {
    return validSeconds > 0;
  }

  /// Whether the kernel offered something that we asked for.
  boolean agreed(int flag) {
    return (flags & flag) != 0;
  }

  /// Rings are ready to be registered: they are used if the kernel offers it.
  void ringsReady() {
    ringsReady = true;
  }

  /// Whether the kernel waits for the rings: it asks nothing before they are registered.
  boolean overRings() {
    return overRings;
  }

  /// Answers INIT.
  ///
  /// @throws FsException `EPROTO` when the kernel is too old
  void init(FuseRequest request, FuseReply reply) throws FsException {
    request.require(FuseLayout.INIT_IN_BYTES);
    int major = request.intAt(FuseLayout.INIT_MAJOR);
    int minor = request.intAt(FuseLayout.INIT_MINOR);
    reply.body(FuseLayout.INIT_OUT_BYTES);
    reply.setInt(FuseLayout.INIT_MAJOR, FuseOpcode.MAJOR);
    if (major > FuseOpcode.MAJOR) {
      return; // it asks again, with our version
    }
    if (major < FuseOpcode.MAJOR || minor < FuseOpcode.MIN_MINOR) {
      failure =
          FsException.of(
              Errno.EPROTO,
              "the kernel speaks FUSE " + major + "." + minor + "; Fix: Linux 5.4 or later");
      begun.countDown();
      throw FsException.of(Errno.EPROTO, "INIT");
    }
    int wanted = remembers() ? WANTED : WANTED & ~REMEMBERING;
    flags = request.intAt(FuseLayout.INIT_FLAGS) & wanted;
    int transfer = agreed(FuseOpcode.MAX_PAGES) ? MAX_TRANSFER : OLD_MAX_TRANSFER;
    reply.setInt(FuseLayout.INIT_MINOR, FuseOpcode.MINOR);
    reply.setInt(
        FuseLayout.INIT_MAX_READAHEAD,
        Math.min(transfer, request.intAt(FuseLayout.INIT_MAX_READAHEAD)));
    reply.setInt(FuseLayout.INIT_FLAGS, flags);
    agreeOnMore(request, reply);
    reply.setShort(FuseLayout.INIT_MAX_BACKGROUND, MAX_BACKGROUND);
    reply.setShort(FuseLayout.INIT_CONGESTION, MAX_BACKGROUND * 3 / 4);
    reply.setInt(FuseLayout.INIT_MAX_WRITE, transfer);
    reply.setInt(FuseLayout.INIT_TIME_GRAN, 1);
    reply.setShort(FuseLayout.INIT_MAX_PAGES, transfer / PAGE_BYTES);
  }

  private void agreeOnMore(FuseRequest request, FuseReply reply) {
    boolean more = (request.intAt(FuseLayout.INIT_FLAGS) & FuseOpcode.INIT_EXT) != 0;
    if (!more || request.bodyBytes() < FuseLayout.INIT_IN_FLAGS2 + Integer.BYTES) {
      return;
    }
    int rings = (int) (FuseOpcode.OVER_IO_URING >>> Integer.SIZE);
    int maps = (int) (FuseOpcode.DIRECT_IO_ALLOW_MMAP >>> Integer.SIZE);
    int wanted = (ringsReady ? rings : 0) | (remembers() ? 0 : maps);
    int agreed = request.intAt(FuseLayout.INIT_IN_FLAGS2) & wanted;
    if (agreed != 0) {
      overRings = (agreed & rings) != 0;
      reply.setInt(FuseLayout.INIT_FLAGS, flags | FuseOpcode.INIT_EXT);
      reply.setInt(FuseLayout.INIT_FLAGS2, agreed);
    }
  }

  /// What is to be waited for before the tree is left alone at an unmount: the other workers.
  void beforeEnd(Runnable wait) {
    ending = wait;
  }

  /// SYNCFS: `sync(2)` or `syncfs(2)` waits for the answer.
  void syncAll() throws IOException {
    synced = true;
    tree.settle();
  }

  /// Whether the kernel has handed on a `sync(2)`.
  boolean synced() {
    return synced;
  }

  /// DESTROY: the last message of a mount from a block device, whose `umount(2)` waits for the
  /// answer.
  void destroy() throws IOException {
    closing = true;
    ending.run();
    try {
      finish();
      if (!closesTree) {
        tree.settle();
      }
    } catch (IOException e) {
      endFailure = e; // told by the end of the mount: the kernel does not pass it on
      throw e;
    }
  }

  /// Lets go of what is kept for the kernel, and closes the tree where the mount does that.
  /// Idempotent; no message is being answered.
  void finish() throws IOException {
    nodes.close();
    if (closesTree) {
      tree.close();
    }
  }

  /// How DESTROY has failed.
  @Nullable IOException endFailure() {
    return endFailure;
  }

  /// INIT was answered, or the connection has ended before.
  void begun() {
    begun.countDown();
  }

  /// Waits until the kernel's first message was answered.
  void awaitBegun() throws IOException, InterruptedException {
    begun.await();
    IOException failed = failure;
    if (failed != null) {
      throw failed;
    }
  }

  boolean closing() {
    return closing;
  }

  /// From now on every message is refused.
  void refuse() {
    closing = true;
  }

  /// Some of the messages may have no worker to answer them.
  ///
  /// @param what has happened
  void broken(String what) {
    broken = true;
    messages.accept(what + "; the mount is to be ended (umount -f)");
  }

  /// Whether the mount is to be ended, since requests may wait for ever.
  boolean broken() {
    return broken;
  }

  /// Tells of what should not have happened, a bounded number of times.
  void report(int opcode, long inode, Throwable what) {
    int count = told.incrementAndGet();
    if (count <= MESSAGES) {
      messages.accept("FUSE operation " + opcode + " on inode " + inode + " failed: " + what);
    } else if (count == MESSAGES + 1) {
      messages.accept("more failures are not shown");
    }
  }
}
