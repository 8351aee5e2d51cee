package sluice.domain.portal;

import sluice.domain.carrier.Carriers;
import sluice.domain.portal.copy.CopyQuota;

/// One side of a portal: code that was loaded together and ends together. A domain is a party, and
/// so is the program that hosts it. All methods may be called by any thread.
public interface Party {
  /// A name for messages, unique among the parties of this JVM.
  String name();

  /// Defines the classes of this party; a class of another loader with the same name is another
  /// class.
  ClassLoader loader();

  /// Whether code of this party may still run. Once false, it stays false.
  boolean alive();

  /// Has a task run once when this party ends, by the thread that ends it; at once if it has ended.
  /// Tasks must not throw and not block.
  void onEnd(Runnable task);

  /// Makes a thread that runs a service of this party, not started: in a domain it is a thread of
  /// the domain, so that its budget counts it.
  ///
  /// @param name for messages
  default Thread serviceThread(String name, Runnable task) {
    Thread.Builder.OfVirtual builder =
        Carriers.isAvailable() ? Carriers.host().threads() : Thread.ofVirtual();
    return builder.name(name).inheritInheritableThreadLocals(false).unstarted(task);
  }

  /// Returns true if threads of other parties may run code of this one. Where they may not, its
  /// services run on [CallPath#SERVICE].
  default boolean admitsCallers() {
    return true;
  }

  /// Runs a task that may come to code of this party, or wait for it: a task that interrupts a
  /// thread of it, and so closes the channel where that thread waits. In a domain the task runs
  /// soon, in a disposable thread, so that nothing else waits for it.
  default void aside(Runnable task) {
    task.run();
  }

  /// What one call may bring into this party: its arguments when this party is called, the result
  /// when it calls.
  default CopyQuota copyQuota() {
    return CopyQuota.STANDARD;
  }
}
