package sluice.sys;

/// An epoll set that other threads wake, and the repairs of what the kernel knows differently. Its
/// users decide when to arm what; this is what they have in common.
///
/// [#wake] belongs to any thread. Any thread may add, change and remove, under a lock of the user's
/// if several do; so [#renew], which also excludes a thread that waits. Waiting is [Epoll#await] of
/// [#epoll].
///
/// The wake-up counter is edge-triggered and never read: each write is an edge of its own, edges
/// between two waits are reported as one, and the report costs no system call.
///
/// Two answers of `epoll_ctl(2)` are no failures. The kernel's set holds files and not descriptors:
/// EEXIST says that it kept a file for a duplicate of a descriptor that was closed, which now has
/// its number back, and ENOENT that the file has gone with its descriptor, while another one has
/// got the number.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `epoll`, `controls` | user, its lock held | plain, lock held; `epoll` by the waiting thread without | plain |
public final class EpollDriver implements AutoCloseable {
  /// The number that comes with an event of the wake-up.
  public static final long WAKE = -1;

  private final EventFd counter;
  private Epoll epoll;
  private long controls;

  private EpollDriver(EventFd counter) throws SysException {
    this.counter = counter;
    this.epoll = woken(counter);
  }

  /// Opens a set without descriptors.
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

  /// The set to wait on, another one after [#renew].
  public Epoll epoll() {
    return epoll;
  }

  /// Adds a descriptor, or changes it when the kernel holds it already.
  ///
  /// @param events `EPOLL` bits
  /// @param data comes back with each event; not [#WAKE]
  /// @return 0 or a negative errno, see [Epoll#control]
  public int add(int fd, int events, long data) {
    int result = control(Epoll.EPOLL_CTL_ADD, fd, events, data);
    return result == -Errno.EEXIST ? control(Epoll.EPOLL_CTL_MOD, fd, events, data) : result;
  }

  /// Changes a descriptor.
  ///
  /// @return 0 or a negative errno; -ENOENT when it has been closed since it was added
  public int change(int fd, int events, long data) {
    return control(Epoll.EPOLL_CTL_MOD, fd, events, data);
  }

  /// Changes a descriptor, or adds it when the kernel does not hold it.
  ///
  /// @param known whether the kernel holds it as far as the user knows: it is asked in that order
  /// @return 0 or a negative errno, see [Epoll#control]
  public int arm(boolean known, int fd, int events, long data) {
    int result = known ? change(fd, events, data) : -Errno.ENOENT;
    return result == -Errno.ENOENT ? add(fd, events, data) : result;
  }

  /// Removes a descriptor.
  ///
  /// @return 0 or a negative errno: it was closed, which removes it as well unless its file has a
  ///   duplicate
  public int remove(int fd) {
    return control(Epoll.EPOLL_CTL_DEL, fd, 0, 0);
  }

  private int control(int operation, int fd, int events, long data) {
    controls++;
    return epoll.control(operation, fd, events, data);
  }

  /// Calls of `epoll_ctl(2)` for descriptors of the user, repairs included.
  public long controls() {
    return controls;
  }

  /// Starts with a set without descriptors, which the same counter wakes: no call removes a file
  /// any more whose descriptor was closed while a duplicate lives on, and its events would come for
  /// ever. The user adds again what it wants.
  ///
  /// @throws SysException when there is no descriptor for it; all stays as it is then
  public void renew() throws SysException {
    Epoll old = epoll;
    epoll = woken(counter);
    old.close();
  }

  /// Ends the wait of the waiting thread, or its next one.
  public void wake() {
    counter.signal();
  }

  /// Closes the set and its counter; the descriptors in it stay open. A second call does nothing.
  @Override
  public void close() {
    epoll.close();
    counter.close();
  }
}
