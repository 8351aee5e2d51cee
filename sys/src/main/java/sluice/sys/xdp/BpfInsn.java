package sluice.sys.xdp;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;
import sluice.sys.call.Layout;

/// The structure `struct bpf_insn`, which represents a BPF instruction in 8 bytes.
///
/// This class is a stateless flyweight. Its methods must be called by the owner of the memory, by
/// only one thread at a time.
///
/// ```
///  byte 0      1         2     4     8
///      +------+---------+-----+-----+
///      | code | src dst | off | imm |
///      +------+---------+-----+-----+
/// ```
///
/// ```c
/// struct bpf_insn { __u8 code; __u8 dst_reg:4; __u8 src_reg:4; __s16 off; __s32 imm; };
/// ```
final class BpfInsn {
  static final Layout LAYOUT = Layout.of("struct bpf_insn");
  static final int CODE = LAYOUT.u8("code");
  static final int REGISTERS = 1;

  static {
    LAYOUT.padTo(2);
  }

  static final int OFF = LAYOUT.u16("off");
  static final int IMM = LAYOUT.u32("imm");
  static final int SIZE = LAYOUT.sizeBytes();

  private BpfInsn() {}

  static void set(MemorySegment program, int index, long instruction) {
    long at = (long) index * SIZE;
    program.set(JAVA_BYTE, at + CODE, (byte) (instruction >>> 56));
    program.set(JAVA_BYTE, at + REGISTERS, (byte) (instruction >>> 48));
    program.set(JAVA_SHORT, at + OFF, (short) (instruction >>> 32));
    program.set(JAVA_INT, at + IMM, (int) instruction);
  }

  /// Returns an instruction encoded as one number, for lists of instructions.
  static long of(int code, int destination, int source, int offset, int immediate) {
    return (long) code << 56
        | (long) (source << 4 | destination) << 48
        | (offset & 0xffffL) << 32
        | (immediate & 0xffff_ffffL);
  }
}
