package sluice.domain.portal;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import sluice.domain.portal.copy.PortalInterfaces;

/// The class of the proxies that one party uses for an interface of another party. It is generated
/// after checking that both parties have the same interface. Immutable; any thread may call.
final class ProxyClass {
  private final MethodHandle maker;
  private final Signature[] signatures;

  private ProxyClass(MethodHandle maker, Signature[] signatures) {
    this.maker = maker;
    this.signatures = signatures;
  }

  /// Generates a proxy class.
  ///
  /// @param served the interface as defined by the service's party
  /// @throws InterfaceMismatch if the holder does not have the interface, or has a different
  ///   version of it
  static ProxyClass make(Class<?> served, CallPath path, Party holder) {
    Class<?> held = interfaceOf(served, holder);
    List<Method> methods = PortalInterfaces.methods(held);
    Map<String, Method> offered = new HashMap<>();
    for (Method method : PortalInterfaces.methods(served)) {
      offered.put(key(method), method);
    }
    Signature[] signatures = new Signature[methods.size()];
    for (int i = 0; i < signatures.length; i++) {
      Method method = methods.get(i);
      Method target = offered.get(key(method));
      if (target == null) {
        throw mismatch(
            held, holder, "the service has no method " + key(method), "load the same version");
      }
      signatures[i] = new Signature(method, target, exact(served, target));
    }
    ProxyLoader loader = new ProxyLoader(holder.loader());
    if (!Modifier.isPublic(held.getModifiers())
        || !held.getModule().isExported(held.getPackageName(), loader.getUnnamedModule())) {
      throw mismatch(held, holder, "it is not public", "make it public, its package exported");
    }
    Class<?> type = ProxyCode.define(loader, held, signatures, path);
    try {
      MethodHandle maker =
          MethodHandles.publicLookup()
              .findConstructor(type, MethodType.methodType(void.class, Object.class))
              .asType(MethodType.methodType(Object.class, Object.class));
      return new ProxyClass(maker, signatures);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("a proxy's class without a constructor", e);
    }
  }

  Signature[] signatures() {
    return signatures;
  }

  /// Creates a proxy.
  ///
  /// @param handle the holder's [Handle], see [Proxy]
  Object make(Object handle) {
    try {
      return maker.invokeExact(handle);
    } catch (Throwable e) {
      throw new IllegalStateException("a proxy's constructor threw", e);
    }
  }

  private static Class<?> interfaceOf(Class<?> type, Party holder) {
    try {
      Class<?> held = Class.forName(type.getName(), false, holder.loader());
      if (held.isInterface()) {
        return held;
      }
      throw mismatch(type, holder, "its class of that name is no interface", "rename one of both");
    } catch (ClassNotFoundException e) {
      throw mismatch(type, holder, "it has no such interface", "add it to its class path");
    }
  }

  private static InterfaceMismatch mismatch(Class<?> type, Party holder, String why, String fix) {
    return new InterfaceMismatch(
        "no portal to %s for party %s. Why: %s. Fix: %s."
            .formatted(type.getName(), holder.name(), why, fix));
  }

  private static String key(Method method) {
    return method.getName()
        + MethodType.methodType(method.getReturnType(), method.getParameterTypes())
            .toMethodDescriptorString();
  }

  private static MethodHandle exact(Class<?> type, Method method) {
    ProxyClass.class.getModule().addReads(type.getModule());
    MethodHandle handle;
    try {
      handle = MethodHandles.publicLookup().unreflect(method);
    } catch (IllegalAccessException e) {
      try {
        handle = MethodHandles.privateLookupIn(type, MethodHandles.lookup()).unreflect(method);
      } catch (IllegalAccessException inaccessible) {
        throw new InterfaceMismatch(
            "the interface %s cannot be called. Fix: make it public, or open its package."
                .formatted(type.getName()));
      }
    }
    // The array of a variable-arity method is passed as one argument.
    return handle.asFixedArity().asType(erased(handle.type()));
  }

  private static MethodType erased(MethodType type) {
    MethodType erased = type;
    for (int i = 0; i < type.parameterCount(); i++) {
      if (!type.parameterType(i).isPrimitive()) {
        erased = erased.changeParameterType(i, Object.class);
      }
    }
    return type.returnType().isPrimitive() ? erased : erased.changeReturnType(Object.class);
  }
}
