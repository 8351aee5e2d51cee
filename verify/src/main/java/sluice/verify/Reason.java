package sluice.verify;

import java.util.Locale;

/// Why a method is refused, with the usual fix. Each reason has its heading in the page of
/// refusals.
public enum Reason {
  /// The class file or the method cannot be read.
  MALFORMED("compile the class again with a current javac"),
  /// The verifier's budget of steps for this method is used up.
  TOO_LARGE("divide the method into smaller ones"),
  /// `jsr` and `ret`, of class files before Java 7.
  SUBROUTINE("compile for Java 8 or newer"),
  /// A loop with two entrances.
  IRREDUCIBLE("write the loop with for or while, or compile it with javac"),
  /// No counter is known to end the loop.
  UNBOUNDED_LOOP(
      "count with one local variable in constant steps up to a constant or a length that each"
          + " round compares it with, or run the method metered"),
  /// The method can reach itself.
  RECURSION("write the recursion as a loop with a bound"),
  /// A callee is refused.
  REFUSED_CALLEE("mend the callee first"),
  /// The callee is neither in the component nor in the table of costs.
  UNKNOWN_CALL("put the callee into the component, or its cost into a table (--costs FILE)"),
  /// Several methods can be the callee, or methods that are not in the component.
  VIRTUAL_CALL("make the class or method final, or the interface sealed"),
  /// The callee may wait.
  BLOCKING("leave waiting to the slow path"),
  /// `synchronized`.
  MONITOR("use an AtomicInteger or a VarHandle of the host, or leave the work to the slow path"),
  /// Reflection and method handles: the callee is not known.
  REFLECTION("call the method by its name"),
  /// Native code has no bytecodes to count.
  NATIVE("write the method in Java, or run it on the slow path"),
  /// An `invokedynamic` or a constant whose bootstrap method is not known.
  BOOTSTRAP("write what the instruction does as ordinary calls"),
  /// An initializer of a class that is refused or not known may run here.
  CLASS_INIT("move the static field to a class whose initializer is bounded"),
  /// Something longer than the declared maximum length may be made or handed on.
  LENGTH("limit the length with Math.min, or declare a larger one (--max-length N)"),
  /// The bound is known and above the limit.
  TOO_MUCH_WORK("do less in one call, or raise the limit (--max-bytecodes N)");

  private final String fix;

  Reason(String fix) {
    this.fix = fix;
  }

  /// What to do.
  public String fix() {
    return fix;
  }

  /// The name as it is printed: `unbounded-loop`.
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /// The section of the documentation, from the root of the project.
  public String link() {
    return "docs/verify.md#" + label();
  }
}
