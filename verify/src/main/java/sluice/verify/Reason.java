package sluice.verify;

import java.util.Locale;

/// The reason why a method is refused, with the usual fix. The comment of each constant says what
/// the method does. Each constant has a section in the documentation page of refusals.
public enum Reason {
  /// Cannot be read, or its class file cannot.
  MALFORMED("compile the class again with a current javac"),
  /// Exceeds the verifier's limit of steps for one method.
  TOO_LARGE("divide the method into smaller ones"),
  /// Uses `jsr` and `ret`, which only class files before Java 7 contain.
  SUBROUTINE("compile for Java 8 or newer"),
  /// Contains a loop with two entries.
  IRREDUCIBLE("write the loop with for or while, or compile it with javac"),
  /// Contains a loop that no known counter ends.
  UNBOUNDED_LOOP(
      "count with one local variable in constant steps up to a constant or a length that each"
          + " round compares it with, or run the method metered"),
  /// Calls itself, directly or indirectly.
  RECURSION("write the recursion as a loop with a bound"),
  /// Calls a refused method.
  REFUSED_CALLEE("mend the callee first"),
  /// Calls a method that is neither in the component nor in the cost table.
  UNKNOWN_CALL("put the callee into the component, or its cost into a table (--costs FILE)"),
  /// Calls one of several methods, or a method that a class outside of the component may override.
  VIRTUAL_CALL("make the class or method final, or the interface sealed"),
  /// Calls a method that may wait.
  BLOCKING("leave waiting to the slow path"),
  /// Is synchronized or uses a monitor.
  MONITOR("use an AtomicInteger or a VarHandle of the host, or leave the work to the slow path"),
  /// Uses reflection or a method handle, whose callee is not known.
  REFLECTION("call the method by its name"),
  /// Is native or calls a native method, which has no bytecodes to count.
  NATIVE("write the method in Java, or run it on the slow path"),
  /// Contains an `invokedynamic` or a constant whose bootstrap method is not known.
  BOOTSTRAP("write what the instruction does as ordinary calls"),
  /// Runs a class initializer that is refused or not known.
  CLASS_INIT("move the static field to a class whose initializer is bounded"),
  /// Creates, stores or passes an object that may be longer than the declared maximum.
  LENGTH("limit the length with Math.min, or declare a larger one (--max-length N)"),
  /// Has a bound above the limit.
  TOO_MUCH_WORK("do less in one call, or raise the limit (--max-bytecodes N)");

  private final String fix;

  Reason(String fix) {
    this.fix = fix;
  }

  /// Returns the usual fix.
  public String fix() {
    return fix;
  }

  /// Returns the printed name, such as `unbounded-loop`.
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /// Returns the section of the documentation, relative to the root of the project.
  public String link() {
    return "docs/verify.md#" + label();
  }
}
