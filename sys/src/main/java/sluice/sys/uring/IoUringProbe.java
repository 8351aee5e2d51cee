package sluice.sys.uring;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;
import sluice.sys.Errno;
import sluice.sys.SysException;
import sluice.sys.call.Layout;

/// The io_uring features of the running kernel, which are determined once by opening a small ring.
///
/// Instances are immutable and thread-safe. [#run] opens a ring on the calling thread and closes it
/// again.
///
/// ```c
/// struct io_uring_probe_op { __u8 op; __u8 resv; __u16 flags; __u32 resv2; };
/// struct io_uring_probe { __u8 last_op; __u8 ops_len; __u16 resv; __u32 resv2[3];
///                         struct io_uring_probe_op ops[]; };
/// ```
public final class IoUringProbe {
  static final Layout LAYOUT = Layout.of("struct io_uring_probe");
  static final int LAST_OP = LAYOUT.u8("last_op");
  static final int OPS_LEN = LAYOUT.u8("ops_len");
  static final int RESV = LAYOUT.u16("resv");
  static final int RESV2 = LAYOUT.array("resv2", 4, 3);
  static final int OPS = LAYOUT.sizeBytes();

  static final Layout OP_LAYOUT = Layout.of("struct io_uring_probe_op");
  static final int OP_OP = OP_LAYOUT.u8("op");
  static final int OP_RESV = OP_LAYOUT.u8("resv");
  static final int OP_FLAGS = OP_LAYOUT.u16("flags");
  static final int OP_RESV2 = OP_LAYOUT.u32("resv2");

  static final int IO_URING_OP_SUPPORTED = 1;
  private static final int MAX_OPS = 256;

  private final @Nullable SysException whyNot;
  private final boolean deferTaskrun;
  private final int features;
  private final BitSet operations;

  private IoUringProbe(
      @Nullable SysException whyNot, boolean deferTaskrun, int features, BitSet operations) {
    this.whyNot = whyNot;
    this.deferTaskrun = deferTaskrun;
    this.features = features;
    this.operations = operations;
  }

  /// Queries the kernel. This method never throws an exception. If the kernel denies the ring, the
  /// reason is available from [#whyNot].
  public static IoUringProbe run() {
    try {
      return probe(IoUring.SETUP_SINGLE_ISSUER | IoUring.SETUP_DEFER_TASKRUN, true);
    } catch (SysException refused) {
      if (refused.errno() != Errno.EINVAL) {
        return new IoUringProbe(refused, false, 0, new BitSet());
      }
    }
    try {
      return probe(0, false);
    } catch (SysException refused) {
      return new IoUringProbe(refused, false, 0, new BitSet());
    }
  }

  private static IoUringProbe probe(int flags, boolean deferTaskrun) throws SysException {
    try (IoUring ring = IoUring.open(2, 4, flags);
        Arena arena = Arena.ofConfined()) {
      int opBytes = OP_LAYOUT.sizeBytes();
      MemorySegment answer = arena.allocate(OPS + (long) MAX_OPS * opBytes, Long.BYTES);
      ring.register(IoUring.REGISTER_PROBE, answer, MAX_OPS);
      BitSet operations = new BitSet();
      int count = answer.get(JAVA_BYTE, OPS_LEN) & 0xff;
      for (int i = 0; i < count; i++) {
        long at = OPS + (long) i * opBytes;
        if ((answer.get(JAVA_SHORT, at + OP_FLAGS) & IO_URING_OP_SUPPORTED) != 0) {
          operations.set(answer.get(JAVA_BYTE, at + OP_OP) & 0xff);
        }
      }
      return new IoUringProbe(null, deferTaskrun, ring.features(), operations);
    }
  }

  /// Returns true if a ring can be opened.
  public boolean available() {
    return whyNot == null;
  }

  /// Returns the reason why no ring can be opened, with a remedy, or null if [#available] returns
  /// true.
  public @Nullable SysException whyNot() {
    return whyNot;
  }

  /// Returns true if the kernel accepts `SETUP_SINGLE_ISSUER | SETUP_DEFER_TASKRUN` (Linux 6.1).
  public boolean deferTaskrun() {
    return deferTaskrun;
  }

  /// Returns the `IORING_FEAT_` bits.
  public int features() {
    return features;
  }

  /// Returns true if the kernel supports the given operation.
  ///
  /// @param opcode a constant of [Opcode]
  public boolean supports(int opcode) {
    return operations.get(opcode);
  }

  /// Returns the number of operations that the kernel supports.
  public int operationCount() {
    return operations.cardinality();
  }
}
