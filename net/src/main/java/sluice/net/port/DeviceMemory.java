package sluice.net.port;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import sluice.sys.Mapping;
import sluice.sys.SysException;

/// Memory that a device or the kernel reads and writes concurrently: rings and frames. Owned by its
/// driver's thread, which makes all calls. It stays mapped until [#close], independently of the
/// garbage collector.
///
/// Each access has exactly its width and is never omitted, repeated or torn. The table gives its
/// order relative to other accesses, so a reader that sees an index also sees the data published
/// before it.
///
/// | access | order |
/// |---|---|
/// | load32 | acquire: later accesses are not before it |
/// | store32 | release: earlier accesses are not after it |
/// | load64, store64, and 32-bit parts of descriptors | opaque: in program order among each other |
/// | fence | all accesses before it are before all accesses after it |
public final class DeviceMemory implements AutoCloseable {
  private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

  private final Mapping mapping;
  private final MemorySegment memory;

  private DeviceMemory(Mapping mapping) {
    this.mapping = mapping;
    this.memory = mapping.segment();
  }

  /// Wraps the mapped memory of a device. [#close] unmaps it.
  public static DeviceMemory of(Mapping mapping) {
    return new DeviceMemory(mapping);
  }

  /// Allocates zeroed and populated memory for frames. All driver memory is allocated here.
  ///
  /// @throws SysException if there is not enough memory
  public static DeviceMemory allocate(long bytes) throws SysException {
    return new DeviceMemory(Mapping.anonymous(bytes, true));
  }

  /// Returns the whole memory, for system calls and for bytes that the device has released.
  public MemorySegment segment() {
    return memory;
  }

  /// Reads 32 bits at an offset, with acquire order.
  public int load32(long at) {
    return (int) INT.getAcquire(memory, at);
  }

  /// Writes 32 bits at an offset, with release order.
  public void store32(long at, int value) {
    INT.setRelease(memory, at, value);
  }

  /// Reads 32 bits at an offset, with opaque order.
  public int loadPlain32(long at) {
    return (int) INT.getOpaque(memory, at);
  }

  /// Writes 32 bits at an offset, with opaque order.
  public void storePlain32(long at, int value) {
    INT.setOpaque(memory, at, value);
  }

  /// Reads 64 bits at an offset, with opaque order.
  public long load64(long at) {
    return (long) LONG.getOpaque(memory, at);
  }

  /// Writes 64 bits at an offset, with opaque order.
  public void store64(long at, long value) {
    LONG.setOpaque(memory, at, value);
  }

  /// Orders earlier stores before later loads. The other operations do not do that.
  public static void fence() {
    VarHandle.fullFence();
  }

  /// Unmaps the memory. Idempotent. The device must have released it before.
  @Override
  public void close() {
    mapping.close();
  }
}
