package sluice.domain.inside;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MutableCallSite;

/// The method that every gate calls. Each domain defines a copy, like [Substitutes]. Any thread may
/// call.
///
/// The compiler treats the target of a constant call site as a constant, and discards the code when
/// another target is set. Therefore, while the target is [Inside#OPEN], compiled code does not
/// contain any part of a gate: no read, no comparison, and no part of an `invokedynamic`. The
/// compiler also counts code that it later eliminates, and stops inlining after some 18 000 nodes.
/// An `invokedynamic` at this place, twelve methods deep, would use up that budget at the expense
/// of the program.
public final class Gate {
  private static final MutableCallSite SITE = Inside.gate(Gate.class);
  private static final Runnable LOOK = Inside.look(Gate.class);

  private Gate() {}

  /// Returns immediately if the domain is within its budget. Otherwise this method may wait until
  /// it is.
  ///
  /// @throws Throwable a [Death] if the domain has ended
  public static void pass() throws Throwable {
    MethodHandle target = SITE.getTarget();
    if (target != Inside.OPEN) {
      if (target == Inside.WATCHED) {
        LOOK.run();
      } else {
        target.invokeExact();
      }
    }
  }
}
