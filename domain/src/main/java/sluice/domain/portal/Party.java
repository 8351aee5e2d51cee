package sluice.domain.portal;

import sluice.domain.carrier.Carriers;
import sluice.domain.portal.copy.CopyQuota;

/// A party of a portal, which is code that is loaded together and terminated together. A domain is
/// a party, and so is the program that hosts it. Any thread may call all methods.
public interface Party {
  /// Returns the name shown in messages, which is unique among the parties of this JVM.
  String name();

  /// Returns the loader that defines the classes of this party. A class of the same name from
  /// another loader is a different class.
  ClassLoader loader();

  /// Returns true if code of this party may still run. Once this method has returned false, it
  /// never returns true again.
  boolean alive();

  /// Runs a task once when this party ends, in the thread that ends it, or immediately if it has
  /// already ended. Tasks must not throw exceptions and must not block.
  void onEnd(Runnable task);

  /// Returns a new, unstarted thread for a service of this party. A domain returns a thread of its
  /// own, which counts against its budget.
  ///
  /// @param name the name shown in messages
  default Thread serviceThread(String name, Runnable task) {
    Thread.Builder.OfVirtual builder =
        Carriers.isAvailable() ? Carriers.host().threads() : Thread.ofVirtual();
    return builder.name(name).inheritInheritableThreadLocals(false).unstarted(task);
  }

  /// Returns true if threads of other parties may run code of this party. Otherwise, its services
  /// must use [CallPath#SERVICE].
  default boolean admitsCallers() {
    return true;
  }

  /// Runs a task that may call code of this party or wait for it. For example, interrupting a
  /// thread closes the channel on which it is blocked. A domain runs the task soon in a disposable
  /// thread, so that no other work waits for it.
  default void aside(Runnable task) {
    task.run();
  }

  /// Returns the limit on the objects that one call may copy to this party. These are the arguments
  /// of calls to this party and the results of its own calls.
  default CopyQuota copyQuota() {
    return CopyQuota.STANDARD;
  }
}
