package sluice.sys;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;
import sluice.sys.call.Kernel;
import sluice.sys.call.Layout;
import sluice.sys.call.Paths;
import sluice.sys.call.SystemCall;

/// An inotify instance, which reports changes to files, together with a cursor over the events that
/// were read.
///
/// Any thread may call [#addWatch] and [#removeWatch], but the cursor is confined to one thread.
/// The descriptor is non-blocking. To receive events, wait until [#fd] is readable, call [#read],
/// and then call [#next] until it returns false.
///
/// ```
///  byte 0    4      8        12    16
///      +----+------+--------+-----+------------------------+
///      | wd | mask | cookie | len | name, padded with NULs |
///      +----+------+--------+-----+------------------------+
/// ```
///
/// ```c
/// struct inotify_event { __s32 wd; __u32 mask; __u32 cookie; __u32 len; char name[]; };
/// ```
///
/// At most 64 KiB of events are read at a time. If the kernel's queue overflows, an event with
/// [#IN_Q_OVERFLOW] and watch -1 reports that events were lost.
public final class Inotify implements AutoCloseable {
  static final Layout LAYOUT = Layout.of("struct inotify_event");
  static final int WD = LAYOUT.u32("wd");
  static final int MASK = LAYOUT.u32("mask");
  static final int COOKIE = LAYOUT.u32("cookie");
  static final int LEN = LAYOUT.u32("len");
  static final int NAME = LAYOUT.sizeBytes();

  public static final int IN_ACCESS = 1;
  public static final int IN_MODIFY = 2;
  public static final int IN_ATTRIB = 4;
  public static final int IN_CLOSE_WRITE = 8;
  public static final int IN_CLOSE_NOWRITE = 0x10;
  public static final int IN_OPEN = 0x20;
  public static final int IN_MOVED_FROM = 0x40;
  public static final int IN_MOVED_TO = 0x80;
  public static final int IN_CREATE = 0x100;
  public static final int IN_DELETE = 0x200;
  public static final int IN_DELETE_SELF = 0x400;
  public static final int IN_MOVE_SELF = 0x800;
  public static final int IN_UNMOUNT = 0x2000;
  public static final int IN_Q_OVERFLOW = 0x4000;
  public static final int IN_IGNORED = 0x8000;
  public static final int IN_ONLYDIR = 0x1000000;
  public static final int IN_DONT_FOLLOW = 0x2000000;
  public static final int IN_EXCL_UNLINK = 0x4000000;
  public static final int IN_MASK_CREATE = 0x10000000;
  public static final int IN_MASK_ADD = 0x20000000;
  public static final int IN_ISDIR = 0x40000000;

  static final int IN_NONBLOCK = 0x800;
  static final int IN_CLOEXEC = 0x80000;

  private static final int BUFFER_BYTES = 64 * 1024;

  private final int fd;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final MemorySegment buffer = Arena.ofAuto().allocate(BUFFER_BYTES, Long.BYTES);
  private int filled;
  private int nextOffset;
  private int current;

  private Inotify(int fd) {
    this.fd = fd;
  }

  /// Opens an instance.
  ///
  /// @throws SysException EMFILE if the limit on the instances of the user has been reached
  public static Inotify open() throws SysException {
    long fd = Kernel.call(SystemCall.INOTIFY_INIT1, IN_NONBLOCK | IN_CLOEXEC);
    return new Inotify((int) SysException.check(fd, "inotify_init1", IN_NONBLOCK | IN_CLOEXEC));
  }

  /// Returns the descriptor, which becomes readable when events are available.
  public int fd() {
    return fd;
  }

  /// Watches a file or directory.
  ///
  /// @param name an absolute name, or a name relative to the working directory
  /// @param mask `IN_` bits
  /// @return the number of the watch, which is the same for the same inode, or -ENOENT, -ENOSPC
  ///   (the limit on watches has been reached), -ENOTDIR with [#IN_ONLYDIR], …
  public int addWatch(byte[] name, int mask) {
    if (closed.get()) {
      return -Errno.EBADF;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = Paths.encode(arena, name);
      return text == null
          ? -Errno.EINVAL
          : (int) Kernel.callWithBuffer(SystemCall.INOTIFY_ADD_WATCH, fd, text, mask);
    }
  }

  /// Watches a file or directory. The name is encoded in UTF-8.
  public int addWatch(String name, int mask) {
    return addWatch(Paths.bytes(name), mask);
  }

  /// Watches an open file or directory regardless of its current name. Requires `/proc`.
  public int addWatch(int openFd, int mask) {
    return addWatch("/proc/self/fd/" + openFd, mask);
  }

  /// Removes a watch. An event with [#IN_IGNORED] follows.
  public int removeWatch(int watch) {
    return closed.get() ? -Errno.EBADF : (int) Kernel.call(SystemCall.INOTIFY_RM_WATCH, fd, watch);
  }

  /// Reads the pending events and resets the cursor.
  ///
  /// @return the number of bytes read, or -EAGAIN if there are no events
  public int read() {
    nextOffset = 0;
    filled = 0;
    if (closed.get()) {
      return -Errno.EBADF;
    }
    int result = (int) Kernel.callWithBuffer(SystemCall.READ, fd, buffer, BUFFER_BYTES);
    filled = Math.max(0, result);
    return result;
  }

  /// Checks for pending events without reading them. This method may be called by any thread, even
  /// while another thread is reading.
  ///
  /// @return -EAGAIN if there are no events, and any other value if there are
  public int peek() {
    // If a buffer is too small for the next event, the kernel does not write to it and returns
    // EINVAL.
    return closed.get()
        ? -Errno.EBADF
        : (int) Kernel.callWithBuffer(SystemCall.READ, fd, buffer, 1);
  }

  /// Advances to the next event of the last [#read]. Returns false if there is none.
  public boolean next() {
    if (nextOffset >= filled) {
      return false;
    }
    current = nextOffset;
    nextOffset += NAME + buffer.get(JAVA_INT, current + LEN);
    return true;
  }

  /// Returns the number of the watch, or -1 if the queue has overflowed.
  public int watch() {
    return buffer.get(JAVA_INT, current + WD);
  }

  /// Returns the `IN_` bits of the event.
  public int mask() {
    return buffer.get(JAVA_INT, current + MASK);
  }

  /// Returns a number that connects the two events of a rename.
  public int cookie() {
    return buffer.get(JAVA_INT, current + COOKIE);
  }

  /// Returns the length of the name in bytes, or 0 if the event refers to the watched object
  /// itself.
  public int nameLength() {
    int room = buffer.get(JAVA_INT, current + LEN);
    int length = 0;
    while (length < room && buffer.get(JAVA_BYTE, (long) current + NAME + length) != 0) {
      length++;
    }
    return length;
  }

  /// Returns a byte of the name, so that names can be compared without allocation.
  ///
  /// @param index an index that is less than [#nameLength]
  public byte nameByte(int index) {
    return buffer.get(JAVA_BYTE, (long) current + NAME + index);
  }

  /// Returns the name within the watched directory, decoded as UTF-8, or an empty string if there
  /// is none.
  public String name() {
    byte[] bytes = buffer.asSlice((long) current + NAME, nameLength()).toArray(JAVA_BYTE);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /// Closes the instance and all of its watches. This method is idempotent.
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      Kernel.call(SystemCall.CLOSE, fd);
    }
  }
}
