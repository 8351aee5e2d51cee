package sluice.sys.threads;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// Virtual threads that run on custom carriers. This class is thread-safe.
///
/// The JDK supports this feature internally but does not export it. It is provided by the
/// constructor of `java.lang.ThreadBuilders.VirtualThreadBuilder` that has a scheduler as its
/// parameter, and is opened by [#OPTION]. Whenever a virtual thread is ready to run, because it was
/// started or a wait has ended, its scheduler receives a task that runs the thread until its next
/// wait, and executes it on a platform thread. Virtual threads that are started by such a thread
/// inherit its scheduler.
public final class VirtualThreads {
  /// The JVM option that enables custom carriers.
  public static final String OPTION =
      ModuleOption.to("--add-opens java.base/java.lang", VirtualThreads.class);

  private static final @Nullable Constructor<?> BUILDER = find();

  private static final @Nullable MethodHandle CARRIER = findCarrier();

  private static final @Nullable MethodHandle CONTINUATION = findContinuation();

  private static final @Nullable VarHandle BLOCKER = findBlocker();

  private VirtualThreads() {}

  private static @Nullable Constructor<?> find() {
    try {
      Constructor<?> found =
          Class.forName("java.lang.ThreadBuilders$VirtualThreadBuilder")
              .getDeclaredConstructor(Executor.class);
      return found.trySetAccessible() ? found : null;
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }

  private static @Nullable MethodHandle findContinuation() {
    try {
      Class<?> type = Class.forName("java.lang.VirtualThread");
      return MethodHandles.privateLookupIn(type, MethodHandles.lookup())
          .findGetter(type, "runContinuation", Runnable.class);
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }

  private static @Nullable VarHandle findBlocker() {
    try {
      return MethodHandles.privateLookupIn(Thread.class, MethodHandles.lookup())
          .findVarHandle(Thread.class, "nioBlocker", Class.forName("sun.nio.ch.Interruptible"));
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }

  private static @Nullable MethodHandle findCarrier() {
    try {
      return MethodHandles.privateLookupIn(Thread.class, MethodHandles.lookup())
          .findStatic(Thread.class, "currentCarrierThread", MethodType.methodType(Thread.class));
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }

  /// Returns the object that is passed to the scheduler of a virtual thread each time the thread is
  /// ready. It is the same object during the lifetime of the thread.
  ///
  /// @throws UnsupportedOperationException if the JVM was not started with [#OPTION]
  public static Runnable continuation(Thread virtual) {
    MethodHandle continuation = CONTINUATION;
    if (continuation == null) {
      throw new UnsupportedOperationException("VirtualThread.runContinuation");
    }
    try {
      return (Runnable) continuation.invoke(virtual);
    } catch (Throwable e) {
      throw new IllegalStateException("VirtualThread.runContinuation", e);
    }
  }

  /// Interrupts a virtual thread without closing the channel or waking the selector on which it is
  /// waiting. `Thread.interrupt` would do this before it wakes the thread, while this method leaves
  /// it to the caller. If the thread begins such a wait concurrently, the channel may still be
  /// closed or the selector woken.
  public static void interrupt(Thread virtual) {
    VarHandle blocker = BLOCKER;
    if (blocker != null) {
      blocker.set(virtual, null);
    }
    virtual.interrupt();
  }

  /// Returns the platform thread that carries the calling thread, or the calling thread itself if
  /// it is a platform thread. The method is a compiler intrinsic, so the call is as cheap as
  /// reading a register.
  public static Thread carrier() {
    MethodHandle carrier = CARRIER;
    if (carrier == null) {
      return Thread.currentThread();
    }
    try {
      return (Thread) carrier.invokeExact();
    } catch (Throwable e) {
      throw new IllegalStateException("Thread.currentCarrierThread", e);
    }
  }

  /// Returns true if the JVM supports virtual threads on custom carriers.
  public static boolean isAvailable() {
    return BUILDER != null && CARRIER != null;
  }

  /// Creates a builder of virtual threads that run on the given scheduler.
  ///
  /// @throws UnsupportedOperationException if the JVM was not started with [#OPTION]
  public static Thread.Builder.OfVirtual on(Executor carriers) {
    if (BUILDER == null || CARRIER == null) {
      throw new UnsupportedOperationException(
          "a virtual thread on a carrier of its own. Why: this JVM does not let a scheduler be"
              + " given. Fix: start Java with "
              + OPTION
              + ", as ./sluice does");
    }
    try {
      return (Thread.Builder.OfVirtual) BUILDER.newInstance(carriers);
    } catch (InstantiationException | IllegalAccessException | InvocationTargetException e) {
      throw new IllegalStateException(e);
    }
  }
}
