package sluice.vi;

import java.lang.foreign.MemorySegment;

/// The target of buffer registrations and posted tickets: the view of a [Vi] from the lower
/// classes. Only this package can extend it.
public abstract class Registrar {
  Registrar() {}

  /// Registers memory with the device.
  ///
  /// @return a key that accompanies each piece of the memory
  abstract long register(MemorySegment memory, boolean writable) throws ViException;

  abstract void unregister(long key);
}
