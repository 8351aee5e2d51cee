package sluice.sys.threads;

import static java.lang.invoke.MethodHandles.lookup;
import static java.lang.invoke.MethodHandles.privateLookupIn;
import static java.lang.invoke.MethodType.methodType;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;

/// The state that a thread inherits from the thread that started it, which consists of the context
/// class loader and the inheritable thread locals. One of these locals is used as a mark that
/// identifies threads that were started by JDK code. This class is thread-safe.
///
/// `Thread.inheritableThreadLocals` is private, and is opened by [VirtualThreads#OPTION]. Without
/// this option, no thread has a mark. A thread reads its inheritable locals only when it starts
/// another thread or accesses one of them, so they may be removed at any time.
public final class InheritedContext {
  private static final InheritableThreadLocal<Object> MARK = new InheritableThreadLocal<>();
  private static final @Nullable Locals LOCALS = Locals.find();

  private InheritedContext() {}

  /// The fields and methods of JDK 25 that give access to the locals of a thread.
  private record Locals(
      VarHandle map, MethodHandle make, MethodHandle set, VarHandle table, VarHandle value) {
    static @Nullable Locals find() {
      try {
        Class<?> type = Class.forName("java.lang.ThreadLocal$ThreadLocalMap");
        Class<?> entry = Class.forName("java.lang.ThreadLocal$ThreadLocalMap$Entry");
        Lookup ofThread = privateLookupIn(Thread.class, lookup());
        Lookup ofMap = privateLookupIn(type, lookup());
        return new Locals(
            ofThread.findVarHandle(Thread.class, "inheritableThreadLocals", type),
            ofMap
                .findConstructor(type, methodType(void.class, ThreadLocal.class, Object.class))
                .asType(methodType(Object.class, ThreadLocal.class, Object.class)),
            ofMap
                .findVirtual(type, "set", methodType(void.class, ThreadLocal.class, Object.class))
                .asType(methodType(void.class, Object.class, ThreadLocal.class, Object.class)),
            ofMap.findVarHandle(type, "table", entry.arrayType()),
            privateLookupIn(entry, lookup()).findVarHandle(entry, "value", Object.class));
      } catch (ReflectiveOperationException e) {
        return null;
      }
    }
  }

  /// Marks a thread that has not been started yet. The threads that it starts inherit the mark,
  /// unless they inherit nothing.
  public static void mark(Thread thread, Object mark) {
    Locals locals = LOCALS;
    if (locals == null || isMarked(thread, mark)) {
      return;
    }
    try {
      Object map = locals.map.get(thread);
      if (map == null) {
        locals.map.set(thread, locals.make.invoke((ThreadLocal<?>) MARK, mark));
      } else {
        locals.set.invoke(map, (ThreadLocal<?>) MARK, mark);
      }
    } catch (Throwable e) {
      throw new IllegalStateException("Thread.inheritableThreadLocals", e);
    }
  }

  /// Returns true if a thread has the given mark, which may be its own or inherited. A running
  /// thread may modify its locals concurrently without being affected by this method.
  public static boolean isMarked(Thread thread, Object mark) {
    Locals locals = LOCALS;
    Object map = locals == null ? null : locals.map.get(thread);
    if (locals == null || map == null) {
      return false;
    }
    for (Object each : (Object[]) locals.table.get(map)) {
      if (each instanceof Reference<?> entry && refersTo(entry)) {
        return locals.value.get(each) == mark;
      }
    }
    return false;
  }

  @SuppressWarnings("unchecked") // the reference points to a thread local
  private static boolean refersTo(Reference<?> entry) {
    return ((Reference<Object>) entry).refersTo(MARK);
  }

  /// Removes all inherited state from a thread that continues to run without it.
  ///
  /// @param loader the context class loader that is to be replaced by the system class loader; any
  ///   other class loader is preserved
  public static void release(Thread thread, @Nullable ClassLoader loader) {
    if (thread.getContextClassLoader() == loader) {
      thread.setContextClassLoader(ClassLoader.getSystemClassLoader());
    }
    if (LOCALS != null) {
      LOCALS.map.set(thread, null);
    }
  }
}
