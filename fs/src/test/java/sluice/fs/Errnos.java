package sluice.fs;

import java.io.IOException;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import sluice.sys.SysException;

/// Determines the errno with which a call fails.
public final class Errnos {
  private Errnos() {}

  public static int of(ThrowingCallable call) {
    Throwable thrown = Assertions.catchThrowable(call);
    if (thrown instanceof FsException known) {
      return known.errno();
    }
    if (thrown instanceof SysException known) {
      return known.errno();
    }
    if (thrown == null) {
      return 0;
    }
    throw new AssertionError(
        thrown instanceof IOException ? "an I/O error without errno" : "no I/O error", thrown);
  }
}
