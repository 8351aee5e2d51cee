package sluice.sys;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Locale;
import sluice.sys.call.Arch;
import sluice.sys.call.Kernel;
import sluice.sys.call.Layout;
import sluice.sys.call.SystemCall;

/// Denies system calls to this process, as containers do. It is intended for tests and diagnosis.
///
/// This class is thread-safe. The filter applies to all threads and cannot be removed.
///
/// ```c
/// struct sock_filter { __u16 code; __u8 jt; __u8 jf; __u32 k; };
/// struct sock_fprog { unsigned short len; struct sock_filter *filter; };
/// struct seccomp_data { int nr; __u32 arch; __u64 instruction_pointer; __u64 args[6]; };
/// ```
public final class Seccomp {
  static final Layout LAYOUT = Layout.of("struct sock_filter");
  static final int CODE = LAYOUT.u16("code");
  static final int JT = LAYOUT.u8("jt");
  static final int JF = LAYOUT.u8("jf");
  static final int K = LAYOUT.u32("k");
  static final int FILTER_BYTES = LAYOUT.sizeBytes();

  static final Layout PROGRAM_LAYOUT = Layout.of("struct sock_fprog");
  static final int PROGRAM_LEN = PROGRAM_LAYOUT.u16("len");
  static final int PROGRAM_FILTER = PROGRAM_LAYOUT.u64("filter");

  static final Layout DATA_LAYOUT = Layout.of("struct seccomp_data");
  static final int DATA_NR = DATA_LAYOUT.u32("nr");
  static final int DATA_ARCH = DATA_LAYOUT.u32("arch");
  static final int DATA_POINTER = DATA_LAYOUT.u64("instruction_pointer");
  static final int DATA_ARGS = DATA_LAYOUT.array("args", 8, 6);

  static final int PR_SET_NO_NEW_PRIVS = 38;
  static final int SECCOMP_SET_MODE_FILTER = 1;
  static final int SECCOMP_FILTER_FLAG_TSYNC = 1;
  static final int SECCOMP_RET_ALLOW = 0x7fff0000;
  static final int SECCOMP_RET_ERRNO = 0x00050000;
  static final int AUDIT_ARCH_X86_64 = 0xc000003e;
  static final int AUDIT_ARCH_AARCH64 = 0xc00000b7;

  /// The code `BPF_LD | BPF_W | BPF_ABS`. The next two codes are `BPF_JMP | BPF_JEQ | BPF_K` and
  /// `BPF_RET | BPF_K`.
  private static final int LOAD = 0x20;

  private static final int JUMP_IF_EQUAL = 0x15;
  private static final int RETURN = 0x06;

  private Seccomp() {}

  /// Makes the given system calls fail permanently with EPERM in every thread of this process.
  ///
  /// @param calls the names of the calls as in the manual, such as `io_uring_setup`
  /// @throws IllegalArgumentException if a name denotes a call that this module does not use
  public static void deny(List<String> calls) throws SysException {
    SysException.check(
        Kernel.call(SystemCall.PRCTL, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
        "prctl",
        "PR_SET_NO_NEW_PRIVS",
        1);
    try (Arena arena = Arena.ofConfined()) {
      int count = calls.size() + 5;
      MemorySegment filter = arena.allocate((long) count * FILTER_BYTES, Long.BYTES);
      fill(filter, calls);
      MemorySegment program = arena.allocate(PROGRAM_LAYOUT.sizeBytes(), Long.BYTES);
      program.set(JAVA_SHORT, PROGRAM_LEN, (short) count);
      program.set(JAVA_LONG, PROGRAM_FILTER, filter.address());
      long result =
          Kernel.call(
              SystemCall.SECCOMP,
              SECCOMP_SET_MODE_FILTER,
              SECCOMP_FILTER_FLAG_TSYNC,
              program.address());
      SysException.check(result, "seccomp", "SECCOMP_SET_MODE_FILTER", "TSYNC", calls);
      if (result > 0) {
        throw SysException.of(
            Errno.EBUSY, "seccomp", "SECCOMP_SET_MODE_FILTER", "TSYNC", "thread " + result);
      }
    }
  }

  private static void fill(MemorySegment filter, List<String> calls) {
    int arch = Arch.choose(AUDIT_ARCH_X86_64, AUDIT_ARCH_AARCH64);
    int refuse = calls.size() + 4;
    int allow = calls.size() + 3;
    set(filter, 0, LOAD, 0, DATA_ARCH);
    jump(filter, 1, arch, 2, allow);
    set(filter, 2, LOAD, 0, DATA_NR);
    for (int i = 0; i < calls.size(); i++) {
      int at = i + 3;
      int number = SystemCall.valueOf(calls.get(i).toUpperCase(Locale.ROOT)).number();
      jump(filter, at, number, refuse, at + 1);
    }
    set(filter, allow, RETURN, 0, SECCOMP_RET_ALLOW);
    set(filter, refuse, RETURN, 0, SECCOMP_RET_ERRNO | Errno.EPERM);
  }

  /// Writes an instruction that jumps to `then` if the loaded value is equal to `value`, and to
  /// `otherwise` if it is not.
  private static void jump(MemorySegment filter, int at, int value, int then, int otherwise) {
    int jumps = (then - at - 1) | (otherwise - at - 1) << 8;
    set(filter, at, JUMP_IF_EQUAL, jumps, value);
  }

  private static void set(MemorySegment filter, int index, int code, int jumps, int k) {
    long at = (long) index * FILTER_BYTES;
    filter.set(JAVA_SHORT, at + CODE, (short) code);
    filter.set(JAVA_BYTE, at + JT, (byte) jumps);
    filter.set(JAVA_BYTE, at + JF, (byte) (jumps >> 8));
    filter.set(JAVA_INT, at + K, k);
  }
}
