package sluice.fs.fuse;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.sys.Errno;

/// The state of a connection with the kernel. It contains the negotiated features and the objects
/// that are shared by the workers. The methods may be called by any worker, except that [#init] is
/// called once, before all others.
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
  /// The longest content of one message.
  static final int MAX_TRANSFER = 1 << 20;

  private static final int PAGE_BYTES = 4096;
  private static final int OLD_MAX_TRANSFER = 32 * PAGE_BYTES;
  private static final int MAX_BACKGROUND = 64;
  private static final int MESSAGES = 20;

  /// The features that are requested if the kernel supports them. The following features are not
  /// requested: the write-back cache, because a write must have reached the tree when it returns;
  /// atomic O_TRUNC, because files are opened without a message; locks, because the kernel then
  /// manages them; ACLs, because the tree does not support them; and asynchronous direct transfers,
  /// because the kernel drops its cached pages before such a write but not after it, so that a
  /// concurrent reader would keep the old pages.
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

  /// The features that let the kernel read and list without a request.
  private static final int REMEMBERING =
      FuseOpcode.NO_OPEN_SUPPORT | FuseOpcode.NO_OPENDIR_SUPPORT | FuseOpcode.CACHE_SYMLINKS;

  final FileTree tree;
  final FuseNodes nodes;
  final FuseReaders readers = new FuseReaders();
  final FuseUnflushed unflushed;

  /// The sender of notifications, or null if workers send notifications themselves. Assigned before
  /// the first worker is started.
  @Nullable FuseNotices notices;

  /// The time for which the kernel may cache replies, or 0 to disable caching because files can
  /// also be changed in other ways.
  final long validSeconds;

  /// True if access times are not updated.
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

  /// Returns true if the kernel caches names, attributes, content and listings.
  boolean remembers() {
    return validSeconds > 0;
  }

  /// Returns true if a requested feature was offered by the kernel.
  boolean agreed(int flag) {
    return (flags & flag) != 0;
  }

  /// Records that rings are ready to be registered. They are used if the kernel supports them.
  void ringsReady() {
    ringsReady = true;
  }

  /// Returns true if the kernel uses the rings, in which case it sends no request before they are
  /// registered.
  boolean overRings() {
    return overRings;
  }

  /// Handles INIT.
  ///
  /// @throws FsException `EPROTO` if the kernel is too old
  void init(FuseRequest request, FuseReply reply) throws FsException {
    request.require(FuseLayout.INIT_IN_BYTES);
    int major = request.intAt(FuseLayout.INIT_MAJOR);
    int minor = request.intAt(FuseLayout.INIT_MINOR);
    reply.body(FuseLayout.INIT_OUT_BYTES);
    reply.setInt(FuseLayout.INIT_MAJOR, FuseOpcode.MAJOR);
    if (major > FuseOpcode.MAJOR) {
      return; // the kernel asks again, with this version
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

  /// Sets the action that waits for the other workers. It is invoked before the tree is released by
  /// an unmount.
  void beforeEnd(Runnable wait) {
    ending = wait;
  }

  /// Handles SYNCFS. The kernel's `sync(2)` or `syncfs(2)` waits for the reply.
  void syncAll() throws IOException {
    synced = true;
    tree.settle();
  }

  /// Returns true if the kernel has passed on a `sync(2)`.
  boolean synced() {
    return synced;
  }

  /// Handles DESTROY, the last message of a mount from a block device. The kernel's `umount(2)`
  /// waits for the reply.
  void destroy() throws IOException {
    closing = true;
    ending.run();
    try {
      finish();
      if (!closesTree) {
        tree.settle();
      }
    } catch (IOException e) {
      endFailure = e; // reported at the end of the mount, because the kernel does not pass it on
      throw e;
    }
  }

  /// Releases the files that are retained for the kernel, and closes the tree if the options
  /// request it. This method is idempotent, and must not be called while a message is being
  /// handled.
  void finish() throws IOException {
    nodes.close();
    if (closesTree) {
      tree.close();
    }
  }

  /// Returns the failure of DESTROY, or null if there was none.
  @Nullable IOException endFailure() {
    return endFailure;
  }

  /// Records that INIT has been answered, or that the connection was closed before that.
  void begun() {
    begun.countDown();
  }

  /// Waits until the first message of the kernel has been answered.
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

  /// Causes all further messages to fail.
  void refuse() {
    closing = true;
  }

  /// Records that some messages may not be handled by any worker.
  ///
  /// @param what the event, for use in a message
  void broken(String what) {
    broken = true;
    messages.accept(what + "; the mount is to be ended (umount -f)");
  }

  /// Returns true if the mount must be ended because requests may remain unanswered.
  boolean broken() {
    return broken;
  }

  /// Reports an unexpected failure. The number of reports is limited.
  void report(int opcode, long inode, Throwable what) {
    int count = told.incrementAndGet();
    if (count <= MESSAGES) {
      messages.accept("FUSE operation " + opcode + " on inode " + inode + " failed: " + what);
    } else if (count == MESSAGES + 1) {
      messages.accept("more failures are not shown");
    }
  }
}
