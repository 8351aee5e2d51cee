package sluice.domain.verdict;

import java.io.IOException;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import sluice.verify.Bound;
import sluice.verify.ClassFiles;
import sluice.verify.Component;
import sluice.verify.CostTable;
import sluice.verify.Limits;
import sluice.verify.MethodVerdict;
import sluice.verify.Refusal;
import sluice.verify.Verifier;

/// The bounds determined by a verifier for the methods of one domain, based on all of its classes.
/// Immutable.
public final class MethodBounds {
  /// The maximum number of bytecodes that a thread of another party runs for a domain, which
  /// amounts to some 10 to 50 µs of work.
  public static final long MOST_BYTECODES = 20_000;

  private final Map<String, MethodVerdict> verdicts = new HashMap<>();

  private MethodBounds(Component classes) {
    Verifier.verify(classes, CostTable.standard(), Limits.DEFAULT)
        .verdicts()
        .forEach(each -> verdicts.put(each.className() + "." + each.method(), each));
  }

  /// Verifies the classes of a domain.
  ///
  /// @param jars the jars or directories that contain all of its classes
  /// @throws IOException if a jar or directory cannot be read
  public static MethodBounds of(Collection<Path> jars) throws IOException {
    Component classes = new Component();
    for (Path jar : jars) {
      ClassFiles.read(jar, classes::add);
    }
    return new MethodBounds(classes);
  }

  /// Returns the reason why a method must not run on a thread of another party, including the line
  /// if it is known, or an empty string if the method may run.
  ///
  /// @param made the class of the called object, which has been initialized
  public String refusal(Class<?> made, Method method) {
    MethodVerdict verdict = verdict(made, method);
    String why = why(verdict);
    return why.isEmpty()
        ? ""
        : "the verifier finds no bound for "
            + made.getName()
            + "."
            + method.getName()
            + where(verdict)
            + ": "
            + why;
  }

  /// Returns the verdict on the method that is run by a call. This is the first declaration found
  /// from the object's class upwards, or otherwise the declaration in the interface.
  private @Nullable MethodVerdict verdict(Class<?> made, Method method) {
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
            + " bytecodes, and what a thread of another party runs at most "
            + MOST_BYTECODES
        : "";
  }
}
