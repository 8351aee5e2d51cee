package sluice.sys.call;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/// What the process does on signals that a C library takes for itself. Of one thread: it takes note
/// of the actions, calls the library, and puts the actions back.
///
/// Providers of libfabric put handlers of their own on signals by which programs crash or end. The
/// JVM finds null pointers and stops its threads by `SIGSEGV`: each would be taken for a crash.
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

  /// More than `struct sigaction` has in any C library.
  private static final long ACTION_BYTES = 256;

  private static final MethodHandle SIGACTION = Kernel.link("sigaction");

  private final Arena arena = Arena.ofConfined();
  private final MemorySegment errno = Kernel.newErrno(arena);
  private final MemorySegment actions = arena.allocate(SIGNALS.length * ACTION_BYTES, 8);

  /// Takes note of the actions.
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

  /// Puts the actions back.
  @Override
  public void close() {
    for (int i = 0; i < SIGNALS.length; i++) {
      call(SIGNALS[i], actions.address() + i * ACTION_BYTES, 0);
    }
    arena.close();
  }
}
