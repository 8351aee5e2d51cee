package sluice.net.port;

/// The interrupt handler of a driver, which acknowledges the interrupt and unblocks a worker
/// (`AtomicVariable.setAndUnblock`). It is invoked by the thread of an [InterruptLine] while the
/// interrupts of the device are disabled. A handler must not wait and must perform only a bounded
/// amount of work.
@FunctionalInterface
public interface InterruptHandler {
  void handleInterrupt();
}
