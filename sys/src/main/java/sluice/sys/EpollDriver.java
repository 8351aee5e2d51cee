package sluice.sys;

/// An epoll set that other threads can wake, with repairs for descriptors that were closed. Its
/// users decide when to arm which descriptor; this class is their common part.
///
/// Any thread may call [#wake]. Any thread may add, change and remove; if several do, the user's
/// lock guards the calls. The same applies to [#renew], during which no thread may wait. Waiting is
/// [Epoll#await] of [#epoll].
///
/// The wake-up counter is edge-triggered and never read: each write is a new edge, several edges
/// between two waits are reported as one, and the report costs no system call.
///
/// Two results of `epoll_ctl(2)` are not failures, because the kernel's set holds files, not
/// descriptors: EEXIST means that it kept the file of a descriptor that was closed while a
/// duplicate exists, and whose number is in use again. ENOENT means that the file was removed with
/// its descriptor, and another file has the number now.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `epoll`, `controls` | user, its lock held | plain, lock held; `epoll` by the waiting thread without | plain |
public final class EpollDriver implements AutoCloseable {
  /// The data of a wake-up event.
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

  /// Returns the set to wait on. [#renew] replaces it.
  public Epoll epoll() {
    return epoll;
  }

  /// Adds a descriptor, or changes it if the kernel has it already.
  ///
  /// @param events `EPOLL` bits
  /// @param data returned with each event; not [#WAKE]
  /// @return 0 or a negative errno, see [Epoll#control]
  public int add(int fd, int events, long data) {
    int result = control(Epoll.EPOLL_CTL_ADD, fd, events, data);
    return result == -Errno.EEXIST ? control(Epoll.EPOLL_CTL_MOD, fd, events, data) : result;
  }

  /// Changes a descriptor.
  ///
  /// @return 0 or a negative errno; -ENOENT if it was closed since it was added
  public int change(int fd, int events, long data) {
    return control(Epoll.EPOLL_CTL_MOD, fd, events, data);
  }

  /// Changes a descriptor, or adds it if the kernel does not have it.
  ///
  /// @param known true if the descriptor should be in the set; selects the first system call
  /// @return 0 or a negative errno, see [Epoll#control]
  public int arm(boolean known, int fd, int events, long data) {
    int result = known ? change(fd, events, data) : -Errno.ENOENT;
    return result == -Errno.ENOENT ? add(fd, events, data) : result;
  }

  /// Removes a descriptor.
  ///
  /// @return 0 or a negative errno if it was closed, which also removes it unless its file has a
  ///   duplicate
  public int remove(int fd) {
    return control(Epoll.EPOLL_CTL_DEL, fd, 0, 0);
  }

  private int control(int operation, int fd, int events, long data) {
    controls++;
    return epoll.control(operation, fd, events, data);
  }

  /// Returns the number of `epoll_ctl(2)` calls for descriptors of the user, including repairs.
  public long controls() {
    return controls;
  }

  /// Replaces the set by an empty one with the same wake-up counter. This is the only way to remove
  /// a file whose descriptor was closed while a duplicate exists; its events would be reported
  /// forever. The user adds its descriptors again.
  ///
  /// @throws SysException if there is no descriptor for it; nothing changes then
  public void renew() throws SysException {
    Epoll old = epoll;
    epoll = woken(counter);
    old.close();
  }

  /// Ends the current wait, or the next one if no thread waits.
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
