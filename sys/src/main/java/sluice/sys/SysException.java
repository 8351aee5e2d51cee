package sluice.sys;

import java.io.IOException;
import java.util.List;

/// The exception of a failed system call: its name, arguments and errno, the reason, and the
/// remedy.
///
/// Immutable and safe for use by any thread. Control paths throw it; hot paths return the negated
/// errno instead.
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

  /// Returns a result that is not an error.
  ///
  /// @param result the result of a call of this module
  /// @param call the system call's name
  /// @param arguments its arguments, for the message
  /// @return `result`, if it is not negative
  /// @throws SysException if it is a negated errno
  public static long check(long result, String call, Object... arguments) throws SysException {
    if (result >= 0) {
      return result;
    }
    throw of((int) -result, call, arguments);
  }

  /// Returns the exception for an errno.
  ///
  /// @param errno positive
  public static SysException of(int errno, String call, Object... arguments) {
    String[] shown = new String[arguments.length];
    for (int i = 0; i < shown.length; i++) {
      shown[i] = String.valueOf(arguments[i]);
    }
    return new SysException(call, errno, shown, Explanation.of(call, errno));
  }

  /// Returns the system call's name, such as `bind`.
  public String call() {
    return call;
  }

  /// Returns the errno, positive, see [Errno].
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

  /// Returns the reason for the error.
  public String why() {
    return why;
  }

  /// Returns the remedy.
  public String fix() {
    return fix;
  }
}
