package sluice.sys;

import java.io.IOException;
import java.util.List;

/// A system call failed: which one, with which arguments, the errno, why, and what to do about it.
///
/// Immutable: any thread may use it. Control paths throw it; hot paths return the negated errno
/// instead.
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

  /// Passes a good result through.
  ///
  /// @param result what a call of this module returned
  /// @param call the system call's name
  /// @param arguments its arguments, for the message
  /// @return `result`, when it is not negative
  /// @throws SysException when it is a negated errno
  public static long check(long result, String call, Object... arguments) throws SysException {
    if (result >= 0) {
      return result;
    }
    throw of((int) -result, call, arguments);
  }

  /// The exception for an errno.
  ///
  /// @param errno positive
  public static SysException of(int errno, String call, Object... arguments) {
    String[] shown = new String[arguments.length];
    for (int i = 0; i < shown.length; i++) {
      shown[i] = String.valueOf(arguments[i]);
    }
    return new SysException(call, errno, shown, Explanation.of(call, errno));
  }

  /// The system call's name, such as `bind`.
  public String call() {
    return call;
  }

  /// Positive, see [Errno].
  public int errno() {
    return errno;
  }

  /// Symbolic name of the errno.
  public String errnoName() {
    return Errno.name(errno);
  }

  /// The arguments as they are shown.
  public List<String> arguments() {
    return List.of(arguments);
  }

  /// What makes the kernel answer so.
  public String why() {
    return why;
  }

  /// What to do about it.
  public String fix() {
    return fix;
  }
}
