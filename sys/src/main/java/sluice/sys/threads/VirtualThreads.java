package sluice.sys.threads;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// Virtual threads on carriers of one's own. Any thread may call.
///
/// The JDK has this inside and does not export it: the constructor of
/// `java.lang.ThreadBuilders.VirtualThreadBuilder` that takes a scheduler. [#OPTION] opens it. The
/// scheduler gets each piece of a thread's work, from its start or from a wait to the next wait,
/// and runs it on a platform thread. A virtual thread that one of these starts gets the same
/// scheduler.
public final class VirtualThreads {
  /// The option of the JVM without which there are no carriers of one's own.
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

  /// Returns what a virtual thread's scheduler gets each time the thread is ready: the same object
  /// as long as it lives.
  ///
  /// @throws UnsupportedOperationException if the JVM was not started with the option
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

  /// Interrupts a virtual thread, and does not run what closes the channel or wakes the selector
  /// that it waits for, as `Thread.interrupt` does before it wakes the thread: that is left to the
  /// caller. A thread that begins such a wait at this moment has that run all the same.
  public static void interrupt(Thread virtual) {
    VarHandle blocker = BLOCKER;
    if (blocker != null) {
      blocker.set(virtual, null);
    }
    virtual.interrupt();
  }

  /// Returns the platform thread that carries the calling thread, which is the calling thread
  /// itself if that is a platform thread. Costs a register: the compiler knows the method.
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

  /// Whether this JVM lets threads have carriers of one's own.
  public static boolean isAvailable() {
    return BUILDER != null && CARRIER != null;
  }

  /// Makes threads that a scheduler carries.
  ///
  /// @throws UnsupportedOperationException if the JVM was not started with the option
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
