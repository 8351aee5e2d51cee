package sluice.verify;

import java.util.Locale;

/// The reason why a method is refused, with the usual fix. Each constant is explained by a section
/// in the documentation page about refusals.
public enum Reason {
  /// The method or its class file cannot be read.
  MALFORMED("compile the class again with a current javac"),
  /// The method exceeds the verifier's limit on the steps for one method.
  TOO_LARGE("divide the method into smaller ones"),
  /// The method uses `jsr` and `ret`, which occur only in class files before Java 7.
  SUBROUTINE("compile for Java 8 or newer"),
  /// The method contains a loop with two entries.
  IRREDUCIBLE("write the loop with for or while, or compile it with javac"),
  /// The method contains a loop that is not terminated by a known counter.
  UNBOUNDED_LOOP(
      "count with one local variable in constant steps up to a constant or a length that each"
          + " round compares it with, or run the method metered"),
  /// The method calls itself directly or indirectly.
  RECURSION("write the recursion as a loop with a bound"),
  /// The method calls a method that is refused.
  REFUSED_CALLEE("mend the callee first"),
  /// The method calls a method that is neither in the component nor in the cost table.
  UNKNOWN_CALL("put the callee into the component, or its cost into a table (--costs FILE)"),
  /// The method calls one of several possible methods, or a method that may be overridden by a
  /// class outside of the component.
  VIRTUAL_CALL("make the class or method final, or the interface sealed"),
  /// The method calls a method that may wait.
  BLOCKING("leave waiting to the slow path"),
  /// The method is synchronized or uses a monitor.
  MONITOR("use an AtomicInteger or a VarHandle of the host, or leave the work to the slow path"),
  /// The method uses reflection or a method handle, whose callee is not known.
  REFLECTION("call the method by its name"),
  /// The method is native or calls a native method, whose bytecodes cannot be counted.
  NATIVE("write the method in Java, or run it on the slow path"),
  /// The method contains an `invokedynamic` or a constant whose bootstrap method is not known.
  BOOTSTRAP("write what the instruction does as ordinary calls"),
  /// The method executes a class initializer that is refused or not known.
  CLASS_INIT("move the static field to a class whose initializer is bounded"),
  /// The method creates, stores or passes an object that may be longer than the declared maximum.
  LENGTH("limit the length with Math.min, or declare a larger one (--max-length N)"),
  /// The method has a bound that exceeds the limit.
  TOO_MUCH_WORK("do less in one call, or raise the limit (--max-bytecodes N)");

  private final String fix;

  Reason(String fix) {
    this.fix = fix;
  }

  /// Returns the usual fix for a method that is refused for this reason.
  public String fix() {
    return fix;
  }

  /// Returns the name of this reason in the output, such as `unbounded-loop`.
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /// Returns the link to the section of the documentation, relative to the root of the project.
  public String link() {
    return "docs/verify.md#" + label();
  }
}
