package sluice.net.port;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import sluice.sys.Mapping;
import sluice.sys.SysException;

/// Memory for rings and frames that is concurrently read and written by a device or by the kernel.
/// It is owned by the thread of its driver, which must make all calls. The memory remains mapped
/// until [#close] is called, independently of the garbage collector.
///
/// Each access has exactly the given width and is never omitted, repeated or torn. The table shows
/// how each access is ordered relative to other accesses. A reader that observes an index therefore
/// also observes the data that were published before it.
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

  /// Wraps the mapped memory of a device, which is unmapped by [#close].
  public static DeviceMemory of(Mapping mapping) {
    return new DeviceMemory(mapping);
  }

  /// Allocates zeroed and populated memory for frames. All memory of drivers is allocated by this
  /// method.
  ///
  /// @throws SysException if there is not enough memory
  public static DeviceMemory allocate(long bytes) throws SysException {
    return new DeviceMemory(Mapping.anonymous(bytes, true));
  }

  /// Returns a segment of the complete memory. It is used for system calls and for bytes that the
  /// device has released.
  public MemorySegment segment() {
    return memory;
  }

  /// Reads 32 bits at the given offset with acquire semantics.
  public int load32(long at) {
    return (int) INT.getAcquire(memory, at);
  }

  /// Writes 32 bits at the given offset with release semantics.
  public void store32(long at, int value) {
    INT.setRelease(memory, at, value);
  }

  /// Reads 32 bits at the given offset with opaque semantics.
  public int loadPlain32(long at) {
    return (int) INT.getOpaque(memory, at);
  }

  /// Writes 32 bits at the given offset with opaque semantics.
  public void storePlain32(long at, int value) {
    INT.setOpaque(memory, at, value);
  }

  /// Reads 64 bits at the given offset with opaque semantics.
  public long load64(long at) {
    return (long) LONG.getOpaque(memory, at);
  }

  /// Writes 64 bits at the given offset with opaque semantics.
  public void store64(long at, long value) {
    LONG.setOpaque(memory, at, value);
  }

  /// Ensures that earlier stores are ordered before later loads, which is not guaranteed by any
  /// other operation.
  public static void fence() {
    VarHandle.fullFence();
  }

  /// Unmaps the memory, which must no longer be used by the device. This method is idempotent.
  @Override
  public void close() {
    mapping.close();
  }
}
