package sluice.net.port;

/// What a driver does at once when its device has something: acknowledges it, and unblocks a worker
/// ([AtomicVariable#setAndUnblock]). Called by the thread of an [InterruptLine], while the device's
/// interrupts are off; it never waits, and does a bounded amount of work.
@FunctionalInterface
public interface InterruptHandler {
  void handleInterrupt();
}
