package sluice.domain.inside;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MutableCallSite;

/// What every gate calls. Each domain defines a copy, as of [Substitutes]. Any thread may call.
///
/// The compiler takes the target of a call site that is a constant for a constant, and throws the
/// code away when it is set to another. So compiled code contains nothing of this while the target
/// is [Inside#OPEN]: neither a read nor a comparison, nor what an `invokedynamic` is made of. The
/// compiler counts what it reads, also what comes to nothing, and inlines no more after some 18 000
/// nodes: an `invokedynamic` here, twelve methods deep, used that up in the place of the program.
public final class Gate {
  private static final MutableCallSite SITE = Inside.gate(Gate.class);
  private static final Runnable LOOK = Inside.look(Gate.class);

  private Gate() {}

  /// Goes on while the domain is within its budget and has not ended.
  ///
  /// @throws Throwable a [Death] if it has ended
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
