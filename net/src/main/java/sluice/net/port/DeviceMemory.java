package sluice.net.port;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import sluice.sys.Mapping;
import sluice.sys.SysException;

/// Memory that a device or the kernel reads and writes at the same time: rings and frames. Owned by
/// its driver, whose thread alone calls; it stays until [#close], whatever the garbage collector
/// finds.
///
/// Each access is of exactly its width, is never left out, repeated or torn, and keeps its order
/// with the accesses around it as the table says; so what is published behind a number is seen by
/// the reader of the number.
///
/// | access | order |
/// |---|---|
/// | load32 | acquire: later accesses are not before it |
/// | store32 | release: earlier accesses are not after it |
/// | load64, store64, and 32-bit parts of descriptors | opaque: as they stand, among each other |
/// | fence | all before it are before all after it |
public final class DeviceMemory implements AutoCloseable {
  private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

  private final Mapping mapping;
  private final MemorySegment memory;

  private DeviceMemory(Mapping mapping) {
    this.mapping = mapping;
    this.memory = mapping.segment();
  }

  /// Memory of a device that was mapped; it is unmapped with this.
  public static DeviceMemory of(Mapping mapping) {
    return new DeviceMemory(mapping);
  }

  /// Memory for frames: zeros, all of it present. The one place where that of drivers is made.
  public static DeviceMemory allocate(long bytes) throws SysException {
    return new DeviceMemory(Mapping.anonymous(bytes, true));
  }

  /// All of it, for system calls and for bytes that the device has let go of.
  public MemorySegment segment() {
    return memory;
  }

  public int load32(long at) {
    return (int) INT.getAcquire(memory, at);
  }

  public void store32(long at, int value) {
    INT.setRelease(memory, at, value);
  }

  public int loadPlain32(long at) {
    return (int) INT.getOpaque(memory, at);
  }

  public void storePlain32(long at, int value) {
    INT.setOpaque(memory, at, value);
  }

  public long load64(long at) {
    return (long) LONG.getOpaque(memory, at);
  }

  public void store64(long at, long value) {
    LONG.setOpaque(memory, at, value);
  }

  /// Orders a store before a load, which nothing else does.
  public static void fence() {
    VarHandle.fullFence();
  }

  /// Idempotent. The device must have let go of the memory.
  @Override
  public void close() {
    mapping.close();
  }
}
