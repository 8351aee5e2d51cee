package sluice.vi;

import java.lang.foreign.MemorySegment;

/// What buffers are registered with, and tickets are posted to: a [Vi], seen from below. Made by
/// this package alone.
public abstract class Registrar {
  Registrar() {}

  /// Makes memory known to the device.
  ///
  /// @return a key that goes with each piece of it
  abstract long register(MemorySegment memory, boolean writable) throws ViException;

  abstract void unregister(long key);
}
