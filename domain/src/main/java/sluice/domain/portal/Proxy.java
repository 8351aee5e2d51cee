package sluice.domain.portal;

import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;
import sluice.domain.portal.copy.CopyRefused;
import sluice.domain.portal.copy.PassedByReference;

/// What a party holds in place of another party's object. Subclasses are generated, one for each
/// interface; their methods use the protected ones here. Any thread may call them.
public abstract class Proxy extends PassedByReference {
  private static final ThreadLocal<MethodHandle @Nullable []> CONSTANTS = new ThreadLocal<>();

  /// Written by [Portals#replace] too.
  private volatile Handle handle;

  protected Proxy(Object handle) {
    this.handle = (Handle) handle;
  }

  /// Initializes a proxy's class, whose initializer takes its constants from this thread.
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

  /// Begins a call in this thread.
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

  /// What a call that ended by an exception throws to the caller.
  protected static Throwable failed(Object call, Throwable thrown) {
    Call entered = (Call) call;
    Throwable ended = entered.failed(thrown);
    return ended instanceof CopyRefused
        ? ended
        : Fault.of(ended).forCaller(entered.handle.holder.loader());
  }

  /// A call in the service's thread.
  protected final @Nullable Object send(int method, @Nullable Object[] arguments) throws Throwable {
    return new ServiceCall(this, method, arguments).call();
  }
}
