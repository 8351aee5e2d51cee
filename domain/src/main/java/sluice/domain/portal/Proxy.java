package sluice.domain.portal;

import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;
import sluice.domain.portal.copy.CopyRefused;
import sluice.domain.portal.copy.PassedByReference;

/// The base class of the objects through which a party accesses the objects of another party. A
/// subclass is generated for each interface. Its methods call the protected methods of this class.
/// Any thread may call.
public abstract class Proxy extends PassedByReference {
  private static final ThreadLocal<MethodHandle @Nullable []> CONSTANTS = new ThreadLocal<>();

  /// Also written by [Portals#replace].
  private volatile Handle handle;

  protected Proxy(Object handle) {
    this.handle = (Handle) handle;
  }

  /// Initializes a proxy class, whose initializer obtains its constants from this thread.
  static void initialize(Class<?> made, MethodHandle[] handles) {
    CONSTANTS.set(handles);
    try {
      Class.forName(made.getName(), true, made.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException("a class that was just defined", e);
    } finally {
      CONSTANTS.remove();
    }
  }

  protected static MethodHandle constant(int index) {
    MethodHandle[] handles = CONSTANTS.get();
    if (handles == null) {
      throw new IllegalStateException("only the generated classes of proxies have constants");
    }
    return handles[index];
  }

  final Handle handle() {
    return handle;
  }

  void handle(Handle other) {
    handle = other;
  }

  /// Begins a call that runs in the current thread.
  protected final Object enter() {
    return new Call(this);
  }

  protected static Object target(Object call) {
    return ((Call) call).handle.service.target();
  }

  protected static @Nullable Object argument(
      Object call, int method, int index, @Nullable Object value) {
    Call entered = (Call) call;
    return value == null
        ? null
        : entered.handle.signatures[method].argument(entered.arguments(), index, value);
  }

  protected static @Nullable Object result(Object call, int method, @Nullable Object value) {
    Call entered = (Call) call;
    return value == null
        ? null
        : entered.handle.signatures[method].result(entered.handle.result(), value);
  }

  protected static void leave(Object call) {
    ((Call) call).leave();
  }

  /// Ends a call that has thrown an exception, and returns the exception to be thrown to the
  /// caller.
  protected static Throwable failed(Object call, Throwable thrown) {
    Call entered = (Call) call;
    Throwable ended = entered.failed(thrown);
    return ended instanceof CopyRefused
        ? ended
        : Fault.of(ended).forCaller(entered.handle.holder.loader());
  }

  /// Performs a call that runs in the service's thread.
  protected final @Nullable Object send(int method, @Nullable Object[] arguments) throws Throwable {
    return new ServiceCall(this, method, arguments).call();
  }
}
