package sluice.domain.portal.copy;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/// Determines which declared interfaces cause an object to be passed by reference. Any thread may
/// call.
///
/// These are the interfaces of the program that are not sealed and have at least one method. They
/// require no annotation or supertype. Interfaces of the JDK and sealed interfaces represent data.
public final class PortalInterfaces {
  private PortalInterfaces() {}

  /// Returns true if objects declared as the given type are passed by reference.
  public static boolean is(Class<?> type) {
    return type.isInterface()
        && !type.isAnnotation()
        && !type.isSealed()
        && !Counterparts.isOfJdk(type)
        && !methods(type).isEmpty();
  }

  /// Returns the methods forwarded by a portal, ordered by name and descriptor. Static methods and
  /// the methods of `Object` are excluded.
  public static List<Method> methods(Class<?> type) {
    List<Method> methods = new ArrayList<>();
    for (Method method : type.getMethods()) {
      if (!Modifier.isStatic(method.getModifiers()) && !isOfObject(method)) {
        methods.add(method);
      }
    }
    methods.sort(Comparator.comparing(Method::getName).thenComparing(method -> method.toString()));
    return methods;
  }

  private static boolean isOfObject(Method method) {
    String name = method.getName();
    int parameters = method.getParameterCount();
    boolean describes = parameters == 0 && (name.equals("hashCode") || name.equals("toString"));
    return describes || isEquals(method);
  }

  private static boolean isEquals(Method method) {
    return method.getName().equals("equals")
        && Arrays.equals(method.getParameterTypes(), new Class<?>[] {Object.class});
  }
}
