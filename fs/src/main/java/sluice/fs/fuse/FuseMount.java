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

/// A file tree mounted in a directory, through `/dev/fuse` and without libfuse. Any thread may
/// call.
///
/// The kernel checks permissions (`default_permissions`) and keeps names, attributes and content as
/// long as it likes, because all changes come through it. Where something else changes the tree
/// meanwhile, the mount is to be made with [FuseOptions#withValidSeconds] of 0. The tree stays the
/// caller's: it is to be closed after the mount.
///
/// A file that is opened has reached the tree when a write returns, and the device after `fsync`.
/// Mounted from a block device ([FuseStability]), everything has reached it when `sync(2)` or
/// `umount(2)` returns; [#limits] says where the kernel does not wait. Closing the tree makes
/// everything stable.
///
/// **Memory maps.** A process that touches a mapped file may wait for an answer at an instruction
/// where its JVM cannot stop it; so the process that serves a mount must not map files of it.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | detached, closed | under the lock | under the lock | under the lock |
/// | device, transport, limits, threads | the thread that mounts | plain | plain, before others have it |
/// | workers | the thread that mounts | concurrent list | concurrent list |
public final class FuseMount implements AutoCloseable {
  private static final String DEVICE = "/dev/fuse";

  /// As of a mount without a block device.
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

  /// Mounts a tree and begins to answer.
  ///
  /// @param directory mount point, which must exist
  /// @param messages told of failures that belong to no request, in one line each, by any thread
  /// @throws SysException when there is no `/dev/fuse` or the kernel refuses
  /// @throws FsException `EOPNOTSUPP` where the options insist on rings and there are none
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

  /// @return what the kernel will not wait for, as far as is known, in a few words
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

  /// Asks for a `sync(2)` of this mount alone, and whether its server has heard of it.
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

  /// What the kernel does not wait for, in a few words; empty when it waits in `sync(2)` and in
  /// `umount(2)`.
  public String limits() {
    return limits;
  }

  /// Waits until no other worker than the caller uses the tree.
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

  /// Answers the kernel's first message, and has as many threads answer the others as are wanted.
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

  /// How requests come, and why so, in a few words.
  public String transport() {
    return transport;
  }

  /// Calls to the kernel by threads of rings that have ended.
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

  /// Opens the device once more for the same connection.
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
    } catch (OutOfMemoryError e) { // the limit of threads, mostly
      worker.close();
      throw e;
    }
    workers.add(worker);
    threads.add(thread);
  }

  /// The number of the file system at a path, without a question to its server.
  private static long deviceAt(String path) {
    Statx found = new Statx();
    int flags = Files.AT_STATX_DONT_SYNC;
    int result = Files.statx(Files.AT_FDCWD, path, flags, Statx.STATX_BASIC_STATS, found);
    return result < 0 ? NO_DEVICE : found.device();
  }

  /// Returns true if its directory shows this mount. Another may have been mounted over it or,
  /// after another process has detached this mount (`umount -l`), in its place.
  private boolean isThere() {
    return deviceAt(directory) == device;
  }

  /// Unmounts unless it is used.
  ///
  /// @return false when a process has a file open in it, or works there; also when another process
  ///   has detached it, or another mount covers it
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

  /// Takes it out of the tree of names; it ends when its last user has let go.
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

  /// Blocks until it was unmounted, by any process, and its last user has let go; or it was closed;
  /// or requests may wait for ever, of which a message tells: it is to be closed then.
  public void awaitEnd() throws InterruptedException {
    for (Thread thread : threads) {
      while (thread.isAlive() && !session.closing() && !session.broken()) {
        thread.join(TimeUnit.SECONDS.toMillis(1));
      }
    }
  }

  /// Ends it, also when it is used: its users get errors then. Idempotent; the tree is not used any
  /// more when this returns.
  ///
  /// @throws IOException also when the tree could not be made stable at the unmount
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
      // Forcing ends the connection and fails all the same while files are open.
      if (Mounts.umount2(directory, nofollow | Mounts.MNT_FORCE) < 0) {
        SysException.check(
            Mounts.umount2(directory, nofollow | Mounts.MNT_DETACH), "umount2", directory);
      }
    }
    session.refuse();
    boolean interrupted = false;
    for (int i = 0; i < workers.size(); i++) {
      // A worker of a detached mount may wait for its users as long as they live.
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
