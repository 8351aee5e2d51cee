package sluice.verify;

import java.lang.classfile.Opcode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What all analyses of one run share: the component, the table of costs and the limits. Of the
/// verifier's thread.
final class Host {
  private final Component component;
  private final CostTable costs;
  private final Limits limits;
  private final Targets.Finder finder;
  private final Steps steps = new Steps();
  private final Map<ClassInfo, List<MethodInfo>> initializers = new HashMap<>();

  Host(Component component, CostTable costs, Limits limits) {
    component.index();
    this.component = component;
    this.costs = costs;
    this.limits = limits;
    this.finder = new Targets.Finder(component);
  }

  Steps steps() {
    return steps;
  }

  CostTable costs() {
    return costs;
  }

  Limits limits() {
    return limits;
  }

  /// The longest string that a static field of the component may hold.
  int longestInField() {
    return Math.max(limits.maxLength(), component.longestConstant());
  }

  @Nullable ClassInfo find(String name) {
    return component.find(name);
  }

  /// The targets of a call, null if the component does not have its owner.
  @Nullable Targets targets(ClassInfo caller, Opcode opcode, String owner, String signature) {
    ClassInfo named = component.find(owner);
    if (named == null) {
      return null;
    }
    boolean isSuper =
        opcode == Opcode.INVOKESPECIAL
            && named != caller
            && !named.has(ClassInfo.INTERFACE)
            && !signature.startsWith("<init>");
    if (isSuper) {
      // The JVM looks from the direct superclass on, whichever superclass the call names.
      named = component.superOf(caller);
      if (named == null) {
        return Targets.unknown("the superclass of its caller is not in the component");
      }
    }
    return finder.find(opcode, named, signature);
  }

  /// The initializers that the first use of a class runs, seen from another one: those of the class
  /// and what it extends, but for what the caller's class has initialized already.
  ///
  /// @throws Refused if there are too many to follow
  List<MethodInfo> initializers(ClassInfo caller, ClassInfo type) throws Refused {
    if (component.isBelow(caller, type)) {
      return List.of();
    }
    List<MethodInfo> known = initializers.get(type);
    if (known == null) {
      known = initializers(type);
      initializers.put(type, known);
    }
    return known;
  }

  private List<MethodInfo> initializers(ClassInfo type) throws Refused {
    List<MethodInfo> found = new ArrayList<>();
    Set<ClassInfo> seen = new LinkedHashSet<>(List.of(type));
    Deque<ClassInfo> waiting = new ArrayDeque<>(seen);
    while (!waiting.isEmpty()) {
      ClassInfo at = waiting.remove();
      MethodInfo initializer = at.method("<clinit>()V");
      if (initializer != null) {
        found.add(initializer);
      }
      List<String> above = new ArrayList<>(at.interfaces());
      above.add(String.valueOf(at.superName()));
      for (String name : above) {
        ClassInfo info = component.find(name);
        if (info != null && seen.add(info)) {
          waiting.add(info);
        }
      }
      if (seen.size() > Component.MAX_DEPTH) {
        throw new Refused(Reason.CLASS_INIT, -1, type.shown() + " has too many superclasses");
      }
    }
    return found;
  }

  /// Whether a class of the component is called while an exception of the JDK is made.
  boolean overridesFillInStackTrace() {
    return component.declares("fillInStackTrace()Ljava/lang/Throwable;");
  }

  /// The heap that an object of the class takes, at most; what it inherits from outside the
  /// component is counted with the constructor there.
  ///
  /// @throws Refused if there are too many superclasses to count
  long objectBytes(ClassInfo type) throws Refused {
    long bytes = 16;
    int depth = 0;
    for (ClassInfo at = type; at != null; at = component.superOf(at)) {
      bytes += 8L * at.instanceFields();
      if (++depth > Component.MAX_DEPTH) {
        throw new Refused(Reason.TOO_LARGE, -1, type.shown() + " has too many superclasses");
      }
    }
    return bytes;
  }
}
