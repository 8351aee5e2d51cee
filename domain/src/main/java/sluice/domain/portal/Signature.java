package sluice.domain.portal;

import java.lang.invoke.MethodHandle;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import sluice.domain.portal.copy.CopyContext;
import sluice.domain.portal.copy.PortalInterfaces;

/// A method of a portal, with the handle that calls the service and the parameters that are passed
/// by reference. Immutable.
final class Signature {
  /// The holder's method.
  final Method method;

  /// The handle of type `(Object service, Object[] arguments) Object`.
  final MethodHandle boxed;

  /// The handle of type `(Object service, ...)`, in which each reference is an `Object`.
  final MethodHandle exact;

  private final @Nullable Class<?>[] byReference;
  private final @Nullable Class<?> resultByReference;

  /// Creates a signature.
  ///
  /// @param served the owner's method, whose result type is a class of the owner
  Signature(Method method, Method served, MethodHandle exact) {
    this.method = method;
    this.exact = exact;
    this.boxed =
        exact
            .asSpreader(Object[].class, method.getParameterCount())
            .asType(
                java.lang.invoke.MethodType.methodType(Object.class, Object.class, Object[].class));
    Class<?>[] types = method.getParameterTypes();
    byReference = new Class<?>[types.length];
    for (int i = 0; i < types.length; i++) {
      byReference[i] = PortalInterfaces.is(types[i]) ? types[i] : null;
    }
    Class<?> result = served.getReturnType();
    resultByReference = PortalInterfaces.is(result) ? result : null;
  }

  @Nullable Object argument(CopyContext context, int index, @Nullable Object value) {
    Class<?> declared = byReference[index];
    return declared == null ? context.root(value) : context.root(value, declared);
  }

  @Nullable Object result(CopyContext context, @Nullable Object value) {
    return resultByReference == null ? context.root(value) : context.root(value, resultByReference);
  }
}
