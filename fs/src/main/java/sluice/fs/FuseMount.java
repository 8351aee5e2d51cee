package sluice.fs;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import sluice.memory.Account;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.Mounts;
import sluice.sys.SysException;

/// A file tree mounted in a directory, through `/dev/fuse` and without libfuse. Any thread may
/// call.
///
/// The kernel checks permissions (`default_permissions`) and keeps names, attributes and content as
/// long as it likes, because all changes come through it: nobody else may change the tree
/// meanwhile. The tree stays the caller's: it is to be closed after the mount.
///
/// A file that is opened has reached the tree when a write returns, and the device after `fsync`.
/// `sync(1)` asks a FUSE file system for nothing; closing the tree makes everything stable.
///
/// **Memory maps.** A process that touches a mapped file may wait for an answer at an instruction
/// where its JVM cannot stop it; so the process that serves a mount must not map files of it.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | detached, closed | under the lock | under the lock | under the lock |
public final class FuseMount implements AutoCloseable {
  private static final String DEVICE = "/dev/fuse";

  private final String directory;
  private final FuseSession session;
  private final Account account;
  private final List<FuseWorker> workers = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private boolean detached;
  private boolean closed;

  private FuseMount(String directory, FuseSession session, int threads) {
    this.directory = directory;
    this.session = session;
    account = new Account("fuse", threads * FuseExchange.BYTES);
  }

  /// Mounts a tree and begins to answer.
  ///
  /// @param directory mount point, which must exist
  /// @param messages told of failures that are nobody's request, in one line each, by any thread
  /// @throws SysException when there is no `/dev/fuse` or the kernel refuses
  public static FuseMount open(
      FileTree tree, Path directory, FuseOptions options, Consumer<String> messages)
      throws IOException, InterruptedException {
    String target = directory.toRealPath().toString();
    int mode = tree.attributes(tree.rootInode()).mode();
    FuseSession session = new FuseSession(tree, options, messages);
    FuseMount mount = new FuseMount(target, session, options.threads());
    int fd = openDevice();
    FuseWorker first = worker(session, fd, mount.account);
    try {
      String data =
          "fd="
              + fd
              + ",rootmode="
              + Integer.toOctalString(mode)
              + ",user_id=0,group_id=0,default_permissions,allow_other,max_read="
              + FuseSession.MAX_TRANSFER;
      int trust = options.trusted() ? 0 : Mounts.MS_NOSUID | Mounts.MS_NODEV;
      int flags = trust | (options.readOnly() ? Mounts.MS_RDONLY : 0);
      SysException.check(
          Mounts.mount(options.source(), target, "fuse.sluice", flags, data),
          "mount",
          options.source(),
          target);
    } catch (IOException | RuntimeException e) {
      first.close();
      throw e;
    }
    try {
      mount.start(first);
      session.awaitBegun();
      mount.startOthers(fd, options.threads() - 1);
      return mount;
    } catch (IOException | RuntimeException | InterruptedException e) {
      mount.close();
      throw e;
    }
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
      int fd = openDevice();
      int cloned = Mounts.cloneFuseDevice(fd, mounted);
      if (cloned < 0) {
        Files.close(fd);
        SysException.check(cloned, "ioctl", fd, "FUSE_DEV_IOC_CLONE", mounted);
      }
      start(worker(session, fd, account));
    }
  }

  private void start(FuseWorker worker) {
    workers.add(worker);
    threads.add(Thread.ofPlatform().daemon().name("sluice-fuse-" + threads.size()).start(worker));
  }

  /// Unmounts unless it is used.
  ///
  /// @return false when a process has a file open in it, or works there
  public synchronized boolean unmount() throws SysException {
    if (detached || hasEnded()) {
      return true;
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
      SysException.check(
          Mounts.umount2(directory, Mounts.UMOUNT_NOFOLLOW | Mounts.MNT_DETACH),
          "umount2",
          directory,
          "MNT_DETACH");
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

  /// Blocks until it was unmounted, by whomever, and its last user has let go; or it was closed.
  public void awaitEnd() throws InterruptedException {
    for (Thread thread : threads) {
      while (thread.isAlive() && !session.closing()) {
        thread.join(TimeUnit.SECONDS.toMillis(1));
      }
    }
  }

  /// Ends it, also when it is used: its users get errors then. Idempotent; the tree is not used any
  /// more when this returns.
  @Override
  public synchronized void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    if (!detached
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
    session.nodes.close();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
