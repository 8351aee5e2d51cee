package sluice.sys.call;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/// Preserves the signal actions of the process while a C library installs its own. An instance
/// saves the actions when it is created and restores them when it is closed, and is confined to one
/// thread.
///
/// Providers of libfabric install handlers for signals that indicate a crash or terminate the
/// process. The JVM uses `SIGSEGV` to detect null pointers and to stop its threads, which these
/// handlers would treat as crashes.
public final class SignalActions implements AutoCloseable {
  public static final int SIGINT = 2;
  public static final int SIGQUIT = 3;
  public static final int SIGILL = 4;
  public static final int SIGABRT = 6;
  public static final int SIGBUS = 7;
  public static final int SIGFPE = 8;
  public static final int SIGSEGV = 11;
  public static final int SIGTERM = 15;

  private static final int[] SIGNALS = {
    SIGINT, SIGQUIT, SIGILL, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGTERM
  };

  /// A size that is larger than `struct sigaction` in any C library.
  private static final long ACTION_BYTES = 256;

  private static final MethodHandle SIGACTION = Kernel.link("sigaction");

  private final Arena arena = Arena.ofConfined();
  private final MemorySegment errno = Kernel.newErrno(arena);
  private final MemorySegment actions = arena.allocate(SIGNALS.length * ACTION_BYTES, 8);

  /// Saves the current signal actions.
  public SignalActions() {
    for (int i = 0; i < SIGNALS.length; i++) {
      call(SIGNALS[i], 0, actions.address() + i * ACTION_BYTES);
    }
  }

  private void call(int signal, long set, long old) {
    try {
      long _ =
          (long) SIGACTION.invokeExact(errno, (long) signal, set, old, 0L, 0L, 0L, 0L, actions);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  /// Restores the saved signal actions.
  @Override
  public void close() {
    for (int i = 0; i < SIGNALS.length; i++) {
      call(SIGNALS[i], actions.address() + i * ACTION_BYTES, 0);
    }
    arena.close();
  }
}
