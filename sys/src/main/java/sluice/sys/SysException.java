package sluice.sys;

import java.io.IOException;
import java.util.List;

/// Thrown when a system call fails. The exception contains the name and the arguments of the call,
/// the errno, the cause of the error, and a remedy.
///
/// Instances are immutable and thread-safe. This exception is thrown on control paths, while hot
/// paths return the negated errno instead.
public final class SysException extends IOException {
  private static final long serialVersionUID = 1L;

  private final String call;
  private final int errno;
  private final String[] arguments;
  private final String why;
  private final String fix;

  SysException(String call, int errno, String[] arguments, Explanation explanation) {
    super(
        call
            + "("
            + String.join(", ", arguments)
            + "): "
            + Errno.name(errno)
            + " ("
            + Errno.describe(errno)
            + ")\n  Why: "
            + explanation.why()
            + "\n  Fix: "
            + explanation.fix());
    this.call = call;
    this.errno = errno;
    this.arguments = arguments;
    this.why = explanation.why();
    this.fix = explanation.fix();
  }

  /// Checks the result of a system call and returns it.
  ///
  /// @param result the result of a call of this module
  /// @param call the name of the system call
  /// @param arguments the arguments of the call, which are used in the message
  /// @return `result` if it is not negative
  /// @throws SysException if the result is a negated errno
  public static long check(long result, String call, Object... arguments) throws SysException {
    if (result >= 0) {
      return result;
    }
    throw of((int) -result, call, arguments);
  }

  /// Returns an exception for the given errno.
  ///
  /// @param errno the error number, which is positive
  public static SysException of(int errno, String call, Object... arguments) {
    String[] shown = new String[arguments.length];
    for (int i = 0; i < shown.length; i++) {
      shown[i] = String.valueOf(arguments[i]);
    }
    return new SysException(call, errno, shown, Explanation.of(call, errno));
  }

  /// Returns the name of the system call, such as `bind`.
  public String call() {
    return call;
  }

  /// Returns the error number, which is positive (see [Errno]).
  public int errno() {
    return errno;
  }

  /// Returns the symbolic name of the errno.
  public String errnoName() {
    return Errno.name(errno);
  }

  /// Returns the arguments as text.
  public List<String> arguments() {
    return List.of(arguments);
  }

  /// Returns the cause of the error.
  public String why() {
    return why;
  }

  /// Returns the remedy.
  public String fix() {
    return fix;
  }
}
