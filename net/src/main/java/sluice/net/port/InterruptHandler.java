package sluice.net.port;

/// The interrupt handler of a driver: it acknowledges the interrupt and unblocks a worker
/// ([AtomicVariable#setAndUnblock]). Called by the thread of an [InterruptLine] while the device's
/// interrupts are off. It must not wait, and must do a bounded amount of work.
@FunctionalInterface
public interface InterruptHandler {
  void handleInterrupt();
}
