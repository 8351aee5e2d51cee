package sluice.sys.threads;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.Pipe;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import sluice.sys.call.Kernel;
import sluice.sys.call.SystemCall;

/// A system call in which a thread of this process is blocked. It can be terminated by another
/// thread: a socket is shut down, a pipe or a file is replaced by `/dev/null`, and a FIFO that is
/// being opened is opened at its other end. This terminates calls of the JDK that can be terminated
/// neither by an interrupt nor by a close. This class is thread-safe.
///
/// @param thread the kernel's id of the thread
/// @param line the description of the call in `/proc`, which contains its number, arguments, stack
///   and program counter
public record BlockedCall(int thread, String line) {
  private static final Path TASKS = Path.of("/proc/self/task");
  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

  /// The number of `poll`, which is a separate system call only on x86.
  private static final long POLL = SystemCall.PPOLL.number() == 271 ? 7 : -1;

  private static final long ACCEPT = SystemCall.PPOLL.number() == 271 ? 43 : 202;

  private static final Set<Long> ON_A_DESCRIPTOR =
      Set.of(
          (long) SystemCall.READ.number(),
          ACCEPT,
          (long) SystemCall.ACCEPT4.number(),
          (long) SystemCall.CONNECT.number(),
          (long) SystemCall.RECVFROM.number(),
          (long) SystemCall.WRITE.number());

  private static final long OPENAT = SystemCall.OPENAT.number();
  private static final int SHUT_RDWR = 2;
  private static final int O_CLOEXEC = 0x80000;
  private static final int LONGEST_PATH = 4_096;

  /// The signal that the JDK uses to wake its own threads. Its handler does nothing.
  private static final int WAKE_SIGNAL = 62;

  /// Returns the call in which a thread is blocked, or null if the thread is running or has
  /// terminated.
  public static @Nullable BlockedCall of(int thread) {
    try {
      String line = Files.readString(TASKS.resolve(thread + "/syscall")).strip();
      return line.startsWith("running") || line.startsWith("-1")
          ? null
          : new BlockedCall(thread, line);
    } catch (IOException e) {
      return null;
    }
  }

  /// Terminates the call if the thread is still blocked in it and the call can be terminated.
  /// Descriptors 0 to 2 belong to the process and are not changed.
  ///
  /// @return true if an attempt to terminate the call was made
  public boolean end() throws IOException {
    String[] words = line.split(" ", -1);
    if (!Kernel.SUPPORTED || words.length < 7 || !equals(of(thread))) {
      return false;
    }
    long call = Long.parseLong(words[0]);
    long first = Long.parseUnsignedLong(words[1].substring(2), 16);
    if (call == OPENAT) {
      return openOtherEnd(Long.parseUnsignedLong(words[2].substring(2), 16));
    }
    boolean isPoll = call == POLL || call == SystemCall.PPOLL.number();
    if (!isPoll && !ON_A_DESCRIPTOR.contains(call)) {
      return false;
    }
    int descriptor = isPoll ? descriptorAt(first) : (int) first;
    return descriptor > 2 && equals(of(thread)) && end(descriptor);
  }

  private boolean end(int descriptor) throws IOException {
    String file = Files.readSymbolicLink(DESCRIPTORS.resolve("" + descriptor)).toString();
    if (file.startsWith("socket:")) {
      Kernel.call(SystemCall.SHUTDOWN, descriptor, SHUT_RDWR);
      return true;
    }
    if (!hasHandler()) {
      return false;
    }
    try (RandomAccessFile nothing = new RandomAccessFile("/dev/null", "rw")) {
      int open = numberOf(nothing);
      if (open < 0 || Kernel.call(SystemCall.DUP3, open, descriptor, O_CLOEXEC) < 0) {
        return false;
      }
    }
    Kernel.call(SystemCall.TGKILL, ProcessHandle.current().pid(), thread, WAKE_SIGNAL);
    return true;
  }

  /// Returns the highest descriptor number of `/dev/null`, or -1 if there is none. If there are
  /// several, any of them is suitable.
  private static int numberOf(RandomAccessFile open) throws IOException {
    if (open.getFD().valid()) {
      try (var numbers = Files.newDirectoryStream(DESCRIPTORS)) {
        for (Path each : numbers) {
          int number = Integer.parseInt(each.getFileName().toString());
          if (number > 2 && isNothing(each)) {
            return number;
          }
        }
      }
    }
    return -1;
  }

  private static boolean isNothing(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString().equals("/dev/null");
    } catch (IOException e) {
      return false; // closed in the meantime
    }
  }

  /// Returns true if the wake signal has a handler. Without a handler, the signal would terminate
  /// the process. The JDK installs the handler when the first channel is created, so this method
  /// opens a pipe first.
  private static boolean hasHandler() throws IOException {
    Pipe pipe = Pipe.open();
    pipe.sink().close();
    pipe.source().close();
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith("SigCgt:")) {
        long caught = Long.parseUnsignedLong(line.substring(7).strip(), 16);
        return (caught >>> (WAKE_SIGNAL - 1) & 1) == 1;
      }
    }
    return false;
  }

  /// Returns the first of the polled descriptors.
  private static int descriptorAt(long address) throws IOException {
    try (RandomAccessFile memory = new RandomAccessFile("/proc/self/mem", "r")) {
      memory.seek(address);
      return Integer.reverseBytes(memory.readInt());
    }
  }

  private static boolean openOtherEnd(long address) throws IOException {
    byte[] name = new byte[LONGEST_PATH];
    int length = 0;
    try (RandomAccessFile memory = new RandomAccessFile("/proc/self/mem", "r")) {
      memory.seek(address);
      for (int next = memory.read(); next > 0 && length < name.length; next = memory.read()) {
        name[length++] = (byte) next;
      }
    }
    Path path = Path.of(new String(name, 0, length, StandardCharsets.UTF_8));
    if (!isFifo(path)) {
      return false;
    }
    try (RandomAccessFile _ = new RandomAccessFile(path.toFile(), "rw")) {
      return true; // opening for reading and writing does not wait for the other end
    }
  }

  private static boolean isFifo(Path path) throws IOException {
    int mode = (int) Files.getAttribute(path, "unix:mode");
    return (mode & 0xF000) == 0x1000;
  }
}
