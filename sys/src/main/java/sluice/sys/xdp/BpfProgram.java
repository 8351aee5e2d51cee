package sluice.sys.xdp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// An assembler for BPF programs, in which each method appends an instruction. It may be used by
/// only one thread at a time.
///
/// Registers are identified by numbers. Register 0 contains results. Registers 1 to 5 contain
/// arguments and are not preserved by calls, while registers 6 to 9 are preserved. Register 10
/// points to the end of the stack. Jumps are forward jumps to a label that is set later.
///
/// The instruction codes are defined in the kernel's
/// `Documentation/bpf/standardization/instruction-set.rst`.
public final class BpfProgram {
  private static final int ADD_CONSTANT = 0x07;
  private static final int LOAD_WIDE = 0x18;
  private static final int AND_CONSTANT = 0x57;
  private static final int JUMP = 0x05;
  private static final int JUMP_IF_GREATER = 0x2d;
  private static final int JUMP_IF_EQUAL = 0x15;
  private static final int JUMP_IF_EQUAL_32 = 0x16;
  private static final int JUMP_IF_NOT_EQUAL = 0x55;
  private static final int JUMP_IF_NOT_EQUAL_32 = 0x56;
  private static final int LOAD_8 = 0x71;
  private static final int LOAD_16 = 0x69;
  private static final int LOAD_32 = 0x61;
  private static final int STORE_32 = 0x63;
  private static final int CALL = 0x85;
  private static final int EXIT = 0x95;
  private static final int MOVE_CONSTANT = 0xb7;
  private static final int MOVE = 0xbf;

  /// The source register of a wide load whose number is the descriptor of a map
  /// (`BPF_PSEUDO_MAP_FD`).
  private static final int MAP_DESCRIPTOR = 1;

  private static final int LOOK_UP = 1;
  private static final int REDIRECT_MAP = 51;

  private record Jump(int index, String label) {}

  private final List<Long> instructions = new ArrayList<>();
  private final List<Jump> jumps = new ArrayList<>();
  private final Map<String, Integer> labels = new HashMap<>();

  private BpfProgram add(int code, int destination, int source, int offset, int immediate) {
    instructions.add(BpfInsn.of(code, destination, source, offset, immediate));
    return this;
  }

  private BpfProgram jump(int code, int register, int source, int value, String label) {
    jumps.add(new Jump(instructions.size(), label));
    return add(code, register, source, 0, value);
  }

  /// Sets a label at the position of the next instruction.
  public BpfProgram label(String name) {
    labels.put(name, instructions.size());
    return this;
  }

  public BpfProgram move(int to, int from) {
    return add(MOVE, to, from, 0, 0);
  }

  public BpfProgram constant(int to, int value) {
    return add(MOVE_CONSTANT, to, 0, 0, value);
  }

  public BpfProgram plus(int register, int value) {
    return add(ADD_CONSTANT, register, 0, 0, value);
  }

  public BpfProgram and(int register, int value) {
    return add(AND_CONSTANT, register, 0, 0, value);
  }

  /// Loads 1, 2 or 4 bytes in the byte order of the machine.
  public BpfProgram load(int bytes, int to, int base, int offset) {
    int code =
        switch (bytes) {
          case 1 -> LOAD_8;
          case 2 -> LOAD_16;
          case 4 -> LOAD_32;
          default -> throw new IllegalArgumentException("bytes: " + bytes);
        };
    return add(code, to, base, offset, 0);
  }

  public BpfProgram store(int base, int offset, int from) {
    return add(STORE_32, base, from, offset, 0);
  }

  public BpfProgram jump(String label) {
    return jump(JUMP, 0, 0, 0, label);
  }

  public BpfProgram jumpIfGreater(int register, int other, String label) {
    return jump(JUMP_IF_GREATER, register, other, 0, label);
  }

  public BpfProgram jumpIf(int register, int value, String label) {
    return jump(JUMP_IF_EQUAL, register, 0, value, label);
  }

  public BpfProgram jumpUnless(int register, int value, String label) {
    return jump(JUMP_IF_NOT_EQUAL, register, 0, value, label);
  }

  /// Jumps if the low 32 bits of a register are equal to a value.
  public BpfProgram jumpIf32(int register, int value, String label) {
    return jump(JUMP_IF_EQUAL_32, register, 0, value, label);
  }

  /// Jumps if the low 32 bits of a register differ from a value.
  public BpfProgram jumpUnless32(int register, int value, String label) {
    return jump(JUMP_IF_NOT_EQUAL_32, register, 0, value, label);
  }

  /// Loads a map into a register. Calls expect the map in register 1.
  public BpfProgram map(int to, int descriptor) {
    return add(LOAD_WIDE, to, MAP_DESCRIPTOR, 0, descriptor).add(0, 0, 0, 0, 0);
  }

  /// Looks up an entry in the map in register 1, using the key to which register 2 points. Register
  /// 0 receives the address of the entry, or 0 if it does not exist.
  public BpfProgram lookUp() {
    return add(CALL, 0, 0, 0, LOOK_UP);
  }

  /// Calls `bpf_redirect_map`. Register 0 receives the verdict. The verdict redirects the packet to
  /// the socket that is in the map in register 1 at the index in register 2. If there is no such
  /// socket, it is the verdict in register 3.
  public BpfProgram redirect() {
    return add(CALL, 0, 0, 0, REDIRECT_MAP);
  }

  public BpfProgram exit() {
    return add(EXIT, 0, 0, 0, 0);
  }

  /// Encodes the instructions and resolves the jumps.
  ///
  /// @throws IllegalStateException if a label was never set
  MemorySegment write(Arena arena) {
    for (Jump jump : jumps) {
      Integer target = labels.get(jump.label);
      if (target == null) {
        throw new IllegalStateException("no label " + jump.label);
      }
      long offset = target - jump.index - 1 & 0xffffL;
      instructions.set(jump.index, instructions.get(jump.index) | offset << 32);
    }
    MemorySegment program = arena.allocate((long) instructions.size() * BpfInsn.SIZE, Long.BYTES);
    for (int i = 0; i < instructions.size(); i++) {
      BpfInsn.set(program, i, instructions.get(i));
    }
    return program;
  }
}
