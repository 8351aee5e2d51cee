package sluice.vi;

import java.lang.foreign.MemorySegment;

/// The target of buffer registrations and posted tickets, which is how the lower classes see a
/// [Vi]. Only classes of this package can extend it.
public abstract class Registrar {
  Registrar() {}

  /// Registers memory with the device.
  ///
  /// @return the key that must accompany each segment of the memory
  abstract long register(MemorySegment memory, boolean writable) throws ViException;

  abstract void unregister(long key);
}
