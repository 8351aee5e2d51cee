package sluice.fs.fuse;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.memory.Account;
import sluice.sys.AttributeCalls;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.Statx;
import sluice.sys.SysException;
import sluice.sys.mount.Mounts;

/// A file tree that is mounted in a directory through `/dev/fuse`, without libfuse. This class is
/// thread-safe.
///
/// The kernel checks permissions (`default_permissions`) and caches names, attributes and content
/// without a time limit, because all changes pass through it. If the tree can be changed in any
/// other way, it must be mounted with a [FuseOptions#withValidSeconds] of 0. The caller retains
/// ownership of the tree and must close it after the mount.
///
/// When a write to an open file returns, it has reached the tree, and it reaches the device when
/// `fsync` is called. If the mount is made from a block device ([FuseStability]), all changes have
/// reached the device when `sync(2)` or `umount(2)` returns. [#limits] reports the calls in which
/// the kernel does not wait. Closing the tree makes all changes durable.
///
/// **Memory maps.** A process that accesses a mapped file may wait for a reply at an instruction at
/// which its JVM cannot stop it. Therefore the process that serves a mount must not map files of
/// the mount.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | detached, closed | under the lock | under the lock | under the lock |
/// | device, transport, limits, threads | the thread that mounts | plain | plain, before others have it |
/// | workers | the thread that mounts | concurrent list | concurrent list |
public final class FuseMount implements AutoCloseable {
  private static final String DEVICE = "/dev/fuse";

  /// The block size option of `fuseblk`. The value is the same as for a mount without a block
  /// device.
  private static final String BLOCK_SIZE = ",blksize=4096";

  private static final long NO_DEVICE = -1;

  private final String directory;
  private final FuseSession session;
  private final Account account;
  private String transport = "";
  private String limits = "";
  private final List<FuseServer> workers = new CopyOnWriteArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private long device = NO_DEVICE;
  private boolean detached;
  private boolean closed;

  private FuseMount(String directory, FuseSession session, int threads) {
    this.directory = directory;
    this.session = session;
    account = new Account("fuse", threads * FuseExchange.BYTES);
    session.beforeEnd(this::awaitOthers);
  }

  /// Mounts a tree and starts handling requests.
  ///
  /// @param directory the mount point, which must exist
  /// @param messages receives failures that do not belong to a request, as one line each, from any
  ///   thread
  /// @throws SysException if `/dev/fuse` does not exist or the kernel rejects the mount
  /// @throws FsException `EOPNOTSUPP` if the options require rings and they are not available
  public static FuseMount open(
      FileTree tree, Path directory, FuseOptions options, Consumer<String> messages)
      throws IOException, InterruptedException {
    if (options.trusted() && !tree.changesOnlyHere()) {
      throw FsException.of(
          Errno.EINVAL,
          "mount "
              + directory
              + " as trusted\n  Why: its files change elsewhere, also while they"
              + " run as programs of another user\n  Fix: mount it without");
    }
    String target = directory.toRealPath().toString();
    int mode = tree.attributes(tree.rootInode()).mode();
    FuseSession session = new FuseSession(tree, options, messages);
    FuseMount mount = new FuseMount(target, session, options.threads());
    int fd = openDevice();
    FuseWorker first = worker(session, fd, mount.account);
    FuseRings rings = FuseRings.plan(options.rings());
    try {
      if (options.rings() == RingUse.ON && !rings.possible()) {
        throw rings.refusal();
      }
      mount.limits = mount(options, fd, mode, target);
      mount.device = deviceAt(target);
    } catch (IOException | RuntimeException e) {
      first.close();
      throw e;
    }
    try {
      mount.begin(first, rings, options, fd);
      if (options.readOnly()) {
        mount.limits = ""; // there is nothing to wait for
      } else if (mount.limits.isEmpty() && !mount.hearsOfSync()) {
        mount.limits =
            "sync(1) does not wait for the mount, as Linux before 6.18 does not tell its server";
      }
      return mount;
    } catch (IOException | RuntimeException | InterruptedException e) {
      rings.giveUp("", "");
      mount.close();
      throw e;
    }
  }

  /// Mounts the file system.
  ///
  /// @return a short description of the calls in which the kernel does not wait, as far as they are
  ///   known
  private static String mount(FuseOptions options, int fd, int mode, String target)
      throws SysException {
    String data =
        "fd="
            + fd
            + ",rootmode="
            + Integer.toOctalString(mode)
            + ",user_id=0,group_id=0,default_permissions,allow_other,max_read="
            + FuseSession.MAX_TRANSFER;
    int trust = options.trusted() ? 0 : Mounts.MS_NOSUID | Mounts.MS_NODEV;
    int flags = trust | (options.readOnly() ? Mounts.MS_RDONLY : 0);
    String device = options.stability().blockDevice();
    String why = "";
    if (!device.isEmpty()) {
      int result = Mounts.mount(device, target, "fuseblk.sluice", flags, data + BLOCK_SIZE);
      if (result == 0) {
        return "";
      }
      why = ", as the kernel does not mount " + device + " (" + Errno.name(-result) + ")";
    }
    SysException.check(
        Mounts.mount(options.source(), target, "fuse.sluice", flags, data),
        "mount",
        options.source(),
        target);
    return "sync(1) and umount(8) do not wait for the mount" + why;
  }

  /// Calls `syncfs(2)` for this mount, and returns true if the server received the request.
  private boolean hearsOfSync() throws SysException {
    int root = Files.openat(Files.AT_FDCWD, directory, Files.O_RDONLY, 0);
    SysException.check(root, "openat", directory);
    try {
      SysException.check(AttributeCalls.syncfs(root), "syncfs", directory);
    } finally {
      Files.close(root);
    }
    return session.synced();
  }

  /// Returns a short description of the calls in which the kernel does not wait, or an empty string
  /// if it waits in both `sync(2)` and `umount(2)`.
  public String limits() {
    return limits;
  }

  /// Waits until no worker other than the caller is using the tree.
  private void awaitOthers() {
    boolean interrupted = false;
    while (workers.stream().filter(FuseServer::busy).count() > 1) {
      try {
        TimeUnit.MILLISECONDS.sleep(1);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /// Handles the first message of the kernel, and starts the threads that handle all other
  /// messages.
  private void begin(FuseWorker first, FuseRings rings, FuseOptions options, int fd)
      throws IOException, InterruptedException {
    try {
      session.notices = new FuseNotices(cloneDevice(fd));
      rings.open(session, options.threads(), fd, this::start);
      if (rings.possible()) {
        session.ringsReady();
      }
    } finally {
      start(first);
    }
    session.awaitBegun();
    boolean used = session.overRings() && rings.use();
    if (!used && rings.possible()) {
      rings.giveUp("the kernel does not offer it", "switch it on before mounting");
    }
    if (!used && options.rings() == RingUse.ON) {
      throw rings.refusal();
    }
    if (!used) {
      startOthers(fd, options.threads() - 1);
    }
    transport = (used ? "io_uring (" : "read and write (") + rings.text() + ")";
  }

  /// Returns a short description of the transport that is used for requests, and the reason why it
  /// was chosen.
  public String transport() {
    return transport;
  }

  /// Returns the number of system calls that were made by ring threads that have terminated.
  long ringCalls() {
    long calls = 0;
    for (FuseServer worker : workers) {
      calls += worker instanceof FuseRingWorker ring ? ring.calls() : 0;
    }
    return calls;
  }

  private static int openDevice() throws SysException {
    return (int)
        SysException.check(
            Files.openat(Files.AT_FDCWD, DEVICE, Files.O_RDWR, 0), "FuseMount.open", DEVICE);
  }

  private static FuseWorker worker(FuseSession session, int fd, Account account)
      throws IOException {
    try {
      return new FuseWorker(session, fd, account);
    } catch (IOException | RuntimeException e) {
      Files.close(fd);
      throw e;
    }
  }

  private void startOthers(int mounted, int count) throws IOException {
    for (int i = 0; i < count; i++) {
      start(worker(session, cloneDevice(mounted), account));
    }
  }

  /// Opens the device another time for the same connection.
  static int cloneDevice(int mounted) throws SysException {
    int fd = openDevice();
    int cloned = Mounts.cloneFuseDevice(fd, mounted);
    if (cloned < 0) {
      Files.close(fd);
      SysException.check(cloned, "ioctl", fd, "FUSE_DEV_IOC_CLONE", mounted);
    }
    return fd;
  }

  private void start(FuseServer worker) {
    String name = "sluice-fuse-" + threads.size();
    Thread thread = Thread.ofPlatform().daemon().name(name).unstarted(worker);
    try {
      thread.start();
    } catch (OutOfMemoryError e) { // usually the limit on threads
      worker.close();
      throw e;
    }
    workers.add(worker);
    threads.add(thread);
  }

  /// Returns the device number of the file system at a path without sending a request to its
  /// server.
  private static long deviceAt(String path) {
    Statx found = new Statx();
    int flags = Files.AT_STATX_DONT_SYNC;
    int result = Files.statx(Files.AT_FDCWD, path, flags, Statx.STATX_BASIC_STATS, found);
    return result < 0 ? NO_DEVICE : found.device();
  }

  /// Returns true if this mount is visible at the directory. It may be hidden by another mount, or
  /// may have been replaced by another mount after another process detached it (`umount -l`).
  private boolean isThere() {
    return deviceAt(directory) == device;
  }

  /// Unmounts the tree unless the mount is in use.
  ///
  /// @return false if a process has an open file or its working directory in the mount, or if the
  ///   mount was detached by another process or is hidden by another mount
  public synchronized boolean unmount() throws SysException {
    if (detached || hasEnded()) {
      return true;
    }
    if (!isThere()) {
      return false;
    }
    int result = Mounts.umount2(directory, Mounts.UMOUNT_NOFOLLOW);
    if (result == -Errno.EBUSY) {
      return false;
    }
    SysException.check(result, "umount2", directory);
    return true;
  }

  /// Removes the mount from the directory tree. The mount ends when its last user releases it.
  public synchronized void detach() throws SysException {
    if (!detached && !hasEnded()) {
      if (isThere()) {
        SysException.check(
            Mounts.umount2(directory, Mounts.UMOUNT_NOFOLLOW | Mounts.MNT_DETACH),
            "umount2",
            directory,
            "MNT_DETACH");
      }
      detached = true;
    }
  }

  private boolean hasEnded() {
    for (Thread thread : threads) {
      if (thread.isAlive()) {
        return false;
      }
    }
    return true;
  }

  /// Waits until the mount has ended. This is the case when it has been unmounted by any process
  /// and released by its last user, when it has been closed, or when requests may remain
  /// unanswered, which is reported by a message. In the last case the mount must be closed.
  public void awaitEnd() throws InterruptedException {
    for (Thread thread : threads) {
      while (thread.isAlive() && !session.closing() && !session.broken()) {
        thread.join(TimeUnit.SECONDS.toMillis(1));
      }
    }
  }

  /// Ends the mount even if it is in use, in which case its users receive errors. The tree is no
  /// longer used when this method returns. This method is idempotent.
  ///
  /// @throws IOException also if the changes to the tree could not be made durable when it was
  ///   unmounted
  @Override
  public synchronized void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    boolean there = isThere();
    detached |= !there && !session.closing();
    if (!detached
        && there
        && !hasEnded()
        && Mounts.umount2(directory, Mounts.UMOUNT_NOFOLLOW) == -Errno.EBUSY) {
      int nofollow = Mounts.UMOUNT_NOFOLLOW;
      // A forced unmount closes the connection, but it still fails while files are open.
      if (Mounts.umount2(directory, nofollow | Mounts.MNT_FORCE) < 0) {
        SysException.check(
            Mounts.umount2(directory, nofollow | Mounts.MNT_DETACH), "umount2", directory);
      }
    }
    session.refuse();
    boolean interrupted = false;
    for (int i = 0; i < workers.size(); i++) {
      // A worker of a detached mount may wait for the users of the mount indefinitely.
      while (workers.get(i).busy() || (!detached && threads.get(i).isAlive())) {
        try {
          threads.get(i).join(1);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    FuseNotices notices = session.notices;
    if (notices != null) {
      notices.close();
    }
    session.finish();
    IOException failed = session.endFailure();
    if (failed != null) {
      throw failed;
    }
  }
}
