package sluice.domain.component;

import java.io.IOException;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import sluice.domain.portal.copy.PortalInterfaces;
import sluice.verify.Bound;
import sluice.verify.ClassFiles;
import sluice.verify.CostTable;
import sluice.verify.Limits;
import sluice.verify.MethodVerdict;
import sluice.verify.Refusal;
import sluice.verify.Verifier;

/// Which services may run in their callers' threads because a verifier has found a bound for each
/// of their methods. Stateless.
final class FastServices {
  /// Some 10 to 50 µs of work, which a caller waits for at most.
  static final long MOST_BYTECODES = 20_000;

  private FastServices() {}

  /// Verifies the methods of a service with all classes of its domain.
  ///
  /// @param jars of the domain
  /// @param made the class of its object, whose initializer has run
  /// @throws ComponentRefused with the method that has no bound, or one above the limit
  static void require(Component component, Collection<Path> jars, Class<?> made, Class<?> type)
      throws IOException, ComponentRefused {
    sluice.verify.Component classes = new sluice.verify.Component();
    for (Path jar : jars) {
      ClassFiles.read(jar, classes::add);
    }
    Map<String, MethodVerdict> verdicts = new HashMap<>();
    Verifier.verify(classes, CostTable.standard(), Limits.DEFAULT)
        .verdicts()
        .forEach(each -> verdicts.put(each.className() + "." + each.method(), each));
    for (Method method : PortalInterfaces.methods(type)) {
      MethodVerdict verdict = verdict(verdicts, made, method);
      String why = why(verdict);
      if (!why.isEmpty()) {
        throw new ComponentRefused(
            "component " + component.name() + ", path = \"fast\"",
            "the verifier finds no bound for "
                + made.getName()
                + "."
                + method.getName()
                + where(verdict)
                + ": "
                + why,
            "path = \"service\", or see what sluice verify says of the method");
      }
    }
  }

  /// The verdict on what a call of the method runs: the first class from the object's upwards that
  /// declares it, else the interface itself.
  private static @Nullable MethodVerdict verdict(
      Map<String, MethodVerdict> verdicts, Class<?> made, Method method) {
    String key =
        method.getName()
            + MethodType.methodType(method.getReturnType(), method.getParameterTypes())
                .toMethodDescriptorString();
    for (Class<?> at = made; at != null; at = at.getSuperclass()) {
      MethodVerdict found = verdicts.get(at.getName() + "." + key);
      if (found != null) {
        return found;
      }
    }
    return verdicts.get(method.getDeclaringClass().getName() + "." + key);
  }

  private static String where(@Nullable MethodVerdict verdict) {
    Refusal refusal = verdict == null ? null : verdict.refusal();
    return refusal == null || refusal.line() == 0 ? "" : ", line " + refusal.line();
  }

  private static String why(@Nullable MethodVerdict verdict) {
    if (verdict == null) {
      return "its code is not in the jars of the domain";
    }
    Refusal refusal = verdict.refusal();
    if (refusal != null) {
      return refusal.why();
    }
    Bound bound = verdict.bound();
    return bound != null && bound.bytecodes() > MOST_BYTECODES
        ? "it may run "
            + bound.bytecodes()
            + " bytecodes, and a service in its callers' threads at most "
            + MOST_BYTECODES
        : "";
  }
}
