package sluice.domain.portal;

import sluice.domain.carrier.Carriers;
import sluice.domain.portal.copy.CopyQuota;

/// A side of a portal: code that is loaded together and ends together. A domain is a party, and so
/// is the program that hosts it. Any thread may call all methods.
public interface Party {
  /// Returns the name shown in messages, unique among the parties of this JVM.
  String name();

  /// Returns the loader that defines the classes of this party. A class of another loader with the
  /// same name is a different class.
  ClassLoader loader();

  /// Returns true if code of this party may still run. Once false, it stays false.
  boolean alive();

  /// Runs a task once when this party ends, in the thread that ends it; at once if it has ended
  /// already. Tasks must not throw and must not block.
  void onEnd(Runnable task);

  /// Returns a new, unstarted thread that is to run a service of this party. A domain returns a
  /// thread of its own, which its budget counts.
  ///
  /// @param name the name shown in messages
  default Thread serviceThread(String name, Runnable task) {
    Thread.Builder.OfVirtual builder =
        Carriers.isAvailable() ? Carriers.host().threads() : Thread.ofVirtual();
    return builder.name(name).inheritInheritableThreadLocals(false).unstarted(task);
  }

  /// Returns true if threads of other parties may run code of this one. Otherwise, its services
  /// have to use [CallPath#SERVICE].
  default boolean admitsCallers() {
    return true;
  }

  /// Runs a task that may call code of this party or wait for it. For example, interrupting a
  /// thread closes the channel in which the thread waits. A domain runs the task soon in a
  /// disposable thread, so that nothing else waits for it.
  default void aside(Runnable task) {
    task.run();
  }

  /// Returns the limit on objects that one call may copy into this party: the arguments when this
  /// party is called, the result when it calls.
  default CopyQuota copyQuota() {
    return CopyQuota.STANDARD;
  }
}
