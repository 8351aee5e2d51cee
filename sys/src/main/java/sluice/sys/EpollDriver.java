package sluice.sys;

/// An epoll set that can be woken by other threads and that recovers from descriptors that were
/// closed. It is the common part of its users, which decide when each descriptor is armed.
///
/// Any thread may call [#wake]. If several threads add, change or remove descriptors, the calls
/// must be guarded by a lock of the user. The same applies to [#renew], which must not be called
/// while a thread is waiting. Threads wait by calling [Epoll#await] on [#epoll].
///
/// The wake-up counter is edge-triggered and never read. Each write is a new edge, several edges
/// between two waits are reported as one event, and the event requires no additional system call.
///
/// Two results of `epoll_ctl(2)` are not treated as failures, because the kernel's set contains
/// files and not descriptors. EEXIST means that the set still contains the file of a descriptor
/// that was closed while a duplicate of it exists, and that the number of the descriptor has been
/// reused. ENOENT means that the file was removed together with its descriptor, and that the number
/// now refers to another file.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `epoll`, `controls` | user, its lock held | plain, lock held; `epoll` by the waiting thread without | plain |
public final class EpollDriver implements AutoCloseable {
  /// The data of an event that reports a wake-up.
  public static final long WAKE = -1;

  private final EventFd counter;
  private Epoll epoll;
  private long controls;

  private EpollDriver(EventFd counter) throws SysException {
    this.counter = counter;
    this.epoll = woken(counter);
  }

  /// Opens an empty set.
  public static EpollDriver open() throws SysException {
    EventFd counter = EventFd.open(true);
    try {
      return new EpollDriver(counter);
    } catch (SysException e) {
      counter.close();
      throw e;
    }
  }

  private static Epoll woken(EventFd counter) throws SysException {
    Epoll opened = Epoll.create();
    int bits = Epoll.EPOLLIN | Epoll.EPOLLET;
    int result = opened.control(Epoll.EPOLL_CTL_ADD, counter.fd(), bits, WAKE);
    if (result < 0) {
      opened.close();
      throw SysException.of(-result, "epoll_ctl", "EPOLL_CTL_ADD", counter.fd());
    }
    return opened;
  }

  /// Returns the set to wait on. It is replaced by [#renew].
  public Epoll epoll() {
    return epoll;
  }

  /// Adds a descriptor, or changes it if it is already in the set.
  ///
  /// @param events a combination of `EPOLL` bits
  /// @param data a value that is returned with each event, and must not be [#WAKE]
  /// @return 0 or a negative errno, see [Epoll#control]
  public int add(int fd, int events, long data) {
    int result = control(Epoll.EPOLL_CTL_ADD, fd, events, data);
    return result == -Errno.EEXIST ? control(Epoll.EPOLL_CTL_MOD, fd, events, data) : result;
  }

  /// Changes a descriptor.
  ///
  /// @return 0 or a negative errno, which is -ENOENT if the descriptor was closed after it was
  ///   added
  public int change(int fd, int events, long data) {
    return control(Epoll.EPOLL_CTL_MOD, fd, events, data);
  }

  /// Changes a descriptor, or adds it if it is not in the set.
  ///
  /// @param known true if the descriptor is expected to be in the set, which determines the first
  ///   system call to try
  /// @return 0 or a negative errno, see [Epoll#control]
  public int arm(boolean known, int fd, int events, long data) {
    int result = known ? change(fd, events, data) : -Errno.ENOENT;
    return result == -Errno.ENOENT ? add(fd, events, data) : result;
  }

  /// Removes a descriptor.
  ///
  /// @return 0, or a negative errno if the descriptor was closed; closing it also removes it,
  ///   unless there is a duplicate of it
  public int remove(int fd) {
    return control(Epoll.EPOLL_CTL_DEL, fd, 0, 0);
  }

  private int control(int operation, int fd, int events, long data) {
    controls++;
    return epoll.control(operation, fd, events, data);
  }

  /// Returns the number of `epoll_ctl(2)` calls for descriptors of the user, including the calls
  /// for recovery.
  public long controls() {
    return controls;
  }

  /// Replaces the set by an empty set with the same wake-up counter. This is the only way to remove
  /// a file whose descriptor was closed while a duplicate of it exists, and whose events would
  /// otherwise be reported indefinitely. The user must add its descriptors again.
  ///
  /// @throws SysException if no descriptor is available, in which case nothing is changed
  public void renew() throws SysException {
    Epoll old = epoll;
    epoll = woken(counter);
    old.close();
  }

  /// Wakes the thread that is currently waiting, or makes the next wait return immediately if there
  /// is none.
  public void wake() {
    counter.signal();
  }

  /// Closes the set and its wake-up counter. The descriptors in the set remain open. This method is
  /// idempotent.
  @Override
  public void close() {
    epoll.close();
    counter.close();
  }
}
