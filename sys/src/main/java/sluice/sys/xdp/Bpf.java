package sluice.sys.xdp;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import sluice.sys.SysException;
import sluice.sys.call.Kernel;
import sluice.sys.call.SystemCall;

/// The system call `bpf(2)`, which creates maps, programs, and the links that attach programs. All
/// of them are descriptors that must be closed by the caller. When the descriptor of a link is
/// closed or the process terminates, its program is detached. This class is thread-safe.
public final class Bpf {
  public static final int BPF_MAP_TYPE_HASH = 1;
  public static final int BPF_MAP_TYPE_XSKMAP = 17;

  /// A flag of [#attach] that runs the program in the driver of the network card.
  public static final int XDP_FLAGS_DRV_MODE = 4;

  /// A flag of [#attach] that runs the program after the driver, which is supported by every
  /// interface.
  public static final int XDP_FLAGS_SKB_MODE = 2;

  public static final int XDP_PASS = 2;

  /// A flag of [#load] indicating that the program supports packets that span several buffers
  /// (Linux 5.18).
  public static final int BPF_F_XDP_HAS_FRAGS = 0x20;

  static final int BPF_MAP_CREATE = 0;
  static final int BPF_MAP_UPDATE_ELEM = 2;
  static final int BPF_MAP_DELETE_ELEM = 3;
  static final int BPF_PROG_LOAD = 5;
  static final int BPF_LINK_CREATE = 28;
  static final int BPF_PROG_TYPE_XDP = 6;
  static final int BPF_XDP = 37;

  private static final String LICENSE = "Apache-2.0";
  private static final int LOG_BYTES = 64 << 10;

  private Bpf() {}

  private static long call(int command, MemorySegment attributes) {
    return Kernel.call(
        SystemCall.BPF, command, attributes.address(), attributes.byteSize(), 0, 0, 0);
  }

  private static MemorySegment attributes(Arena arena) {
    return arena.allocate(BpfAttr.BYTES, Long.BYTES);
  }

  /// Creates a map with keys and values of 4 bytes.
  ///
  /// @return the descriptor of the map
  /// @throws SysException EPERM if the process does not have CAP_BPF and CAP_NET_ADMIN, or ENOSYS
  ///   if the call is not available in this container
  public static int createMap(int type, int entries) throws SysException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attributes = attributes(arena);
      attributes.set(JAVA_INT, BpfAttr.MAP_TYPE, type);
      attributes.set(JAVA_INT, BpfAttr.KEY_SIZE, Integer.BYTES);
      attributes.set(JAVA_INT, BpfAttr.VALUE_SIZE, Integer.BYTES);
      attributes.set(JAVA_INT, BpfAttr.MAX_ENTRIES, entries);
      return (int) SysException.check(call(BPF_MAP_CREATE, attributes), "bpf", "BPF_MAP_CREATE");
    }
  }

  /// Adds or replaces an entry of a map.
  public static void update(int map, int key, int value) throws SysException {
    long _ =
        SysException.check(element(BPF_MAP_UPDATE_ELEM, map, key, value), "bpf", "UPDATE_ELEM");
  }

  /// Removes an entry of a map.
  ///
  /// @return 0 or a negative errno
  public static int delete(int map, int key) {
    return (int) element(BPF_MAP_DELETE_ELEM, map, key, 0);
  }

  private static long element(int command, int map, int key, int value) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attributes = attributes(arena);
      attributes.set(JAVA_INT, BpfAttr.MAP_FD, map);
      attributes.set(JAVA_LONG, BpfAttr.KEY, arena.allocateFrom(JAVA_INT, key).address());
      if (command == BPF_MAP_UPDATE_ELEM) {
        attributes.set(JAVA_LONG, BpfAttr.VALUE, arena.allocateFrom(JAVA_INT, value).address());
      }
      return call(command, attributes);
    }
  }

  /// Loads an XDP program.
  ///
  /// @param name the name in lists of programs, at most 15 letters, digits and `_`
  /// @param flags [#BPF_F_XDP_HAS_FRAGS], or 0
  /// @return the descriptor of the program
  /// @throws SysException with the message of the kernel's verifier if it rejects the program
  public static int load(BpfProgram program, String name, int flags) throws SysException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment log = arena.allocate(LOG_BYTES);
      MemorySegment attributes = attributes(arena);
      MemorySegment instructions = program.write(arena);
      attributes.set(JAVA_INT, BpfAttr.PROG_TYPE, BPF_PROG_TYPE_XDP);
      attributes.set(JAVA_INT, BpfAttr.INSN_CNT, (int) (instructions.byteSize() / BpfInsn.SIZE));
      attributes.set(JAVA_LONG, BpfAttr.INSNS, instructions.address());
      attributes.set(JAVA_LONG, BpfAttr.LICENSE, arena.allocateFrom(LICENSE).address());
      attributes.set(JAVA_INT, BpfAttr.LOG_LEVEL, 1);
      attributes.set(JAVA_INT, BpfAttr.LOG_SIZE, LOG_BYTES);
      attributes.set(JAVA_LONG, BpfAttr.LOG_BUF, log.address());
      attributes.set(JAVA_INT, BpfAttr.PROG_FLAGS, flags);
      byte[] letters = name.getBytes(StandardCharsets.US_ASCII);
      MemorySegment.copy(letters, 0, attributes, JAVA_BYTE, BpfAttr.PROG_NAME, letters.length);
      attributes.set(JAVA_INT, BpfAttr.EXPECTED_ATTACH_TYPE, BPF_XDP);
      long result = call(BPF_PROG_LOAD, attributes);
      String told = result < 0 ? log.getString(0).strip() : "";
      return (int) SysException.check(result, "bpf", "BPF_PROG_LOAD", told);
    }
  }

  /// Attaches a program to an interface until the returned descriptor is closed.
  ///
  /// @param flags [#XDP_FLAGS_DRV_MODE] or [#XDP_FLAGS_SKB_MODE]
  /// @return a descriptor, or -EBUSY (another program is attached), -EOPNOTSUPP, -EINVAL (not
  ///   supported by this driver), …
  public static int attach(int program, int interfaceIndex, int flags) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attributes = attributes(arena);
      attributes.set(JAVA_INT, BpfAttr.PROG_FD, program);
      attributes.set(JAVA_INT, BpfAttr.TARGET_IFINDEX, interfaceIndex);
      attributes.set(JAVA_INT, BpfAttr.ATTACH_TYPE, BPF_XDP);
      attributes.set(JAVA_INT, BpfAttr.FLAGS, flags);
      return (int) call(BPF_LINK_CREATE, attributes);
    }
  }
}
