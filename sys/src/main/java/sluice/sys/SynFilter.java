package sluice.sys;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;

/// A socket filter that drops TCP segments in which SYN is set. This class is stateless and
/// thread-safe.
///
/// ```
///   0  ldb  [13]              flags of the TCP header
///   1  jset #SYN, 2, 3
///   2  ret  #0                drop
///   3  ret  #0xffffffff       keep
/// ```
final class SynFilter {
  private static final int INSTRUCTIONS = 4;

  /// The total size of `struct sock_fprog` and the instructions.
  static final int PROGRAM_BYTES =
      Seccomp.PROGRAM_LAYOUT.sizeBytes() + INSTRUCTIONS * Seccomp.FILTER_BYTES;

  /// The code `BPF_LD | BPF_B | BPF_ABS`. The next two codes are `BPF_JMP | BPF_JSET | BPF_K` and
  /// `BPF_RET | BPF_K`.
  private static final int LOAD_BYTE = 0x30;

  private static final int JUMP_IF_SET = 0x45;
  private static final int RETURN = 0x06;

  private static final int TCP_FLAGS = 13;
  private static final int SYN = 0x02;

  private SynFilter() {}

  /// Writes the program.
  ///
  /// @param program zeroed memory of [#PROGRAM_BYTES] bytes, which must remain valid until the
  ///   system call that uses it has returned
  static void write(MemorySegment program) {
    MemorySegment filter = program.asSlice(Seccomp.PROGRAM_LAYOUT.sizeBytes());
    program.set(JAVA_SHORT, Seccomp.PROGRAM_LEN, (short) INSTRUCTIONS);
    program.set(JAVA_LONG, Seccomp.PROGRAM_FILTER, filter.address());
    instruction(filter, 0, LOAD_BYTE, 0, TCP_FLAGS);
    instruction(filter, 1, JUMP_IF_SET, 1, SYN);
    instruction(filter, 2, RETURN, 0, 0);
    instruction(filter, 3, RETURN, 0, -1);
  }

  private static void instruction(MemorySegment filter, int at, int code, int ifNot, int k) {
    long offset = (long) at * Seccomp.FILTER_BYTES;
    filter.set(JAVA_SHORT, offset + Seccomp.CODE, (short) code);
    filter.set(JAVA_BYTE, offset + Seccomp.JF, (byte) ifNot);
    filter.set(JAVA_INT, offset + Seccomp.K, k);
  }
}
