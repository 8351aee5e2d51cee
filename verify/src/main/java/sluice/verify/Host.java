package sluice.verify;

import java.lang.classfile.Opcode;
import org.jspecify.annotations.Nullable;

/// The objects that are shared by all analyses of one run, which are the component, the cost table
/// and the limits. Instances are confined to the verifier's thread.
final class Host {
  private final Component component;
  private final CostTable costs;
  private final Limits limits;
  private final Targets.Finder finder;
  private final Steps steps = new Steps();
  private final Gate gate;

  Host(Component component, CostTable costs, Limits limits, boolean haveRun) {
    component.index();
    this.component = component;
    this.costs = costs;
    this.limits = limits;
    this.finder = new Targets.Finder(component);
    this.gate = new Gate(this, component, haveRun);
  }

  Steps steps() {
    return steps;
  }

  Gate gate() {
    return gate;
  }

  CostTable costs() {
    return costs;
  }

  Limits limits() {
    return limits;
  }

  /// Returns the maximum length of a string in a static field of the component.
  int longestInField() {
    return Math.max(limits.maxLength(), component.longestConstant());
  }

  @Nullable ClassInfo find(String name) {
    return component.find(name);
  }

  /// Returns the targets of a call, or null if the class that is specified by the call is not in
  /// the component.
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
      // The JVM starts the search at the direct superclass, even if the call specifies a different
      // superclass.
      named = component.superOf(caller);
      if (named == null) {
        return Targets.unknown("the superclass of its caller is not in the component");
      }
    }
    return finder.find(opcode, named, signature);
  }

  /// Returns true if a type outside of the component belongs to the JDK, to Sluice or to the cost
  /// table, so that its initializer is known to terminate.
  boolean isOfTheHost(String name) {
    return costs.knows(name)
        || Component.isOfTheJdk(name)
        || name.startsWith("sluice/")
        || ClassLoader.getPlatformClassLoader().getResource(name + ".class") != null;
  }

  /// Returns true if any class of the component extends the given class of the JDK.
  boolean extendsOutside(String name) {
    return component.extendsOutside(name);
  }

  /// Returns true if creating an exception of the JDK may call a method of the component.
  boolean overridesFillInStackTrace() {
    return !component.declaring("fillInStackTrace()Ljava/lang/Throwable;").isEmpty();
  }

  /// Returns the maximum heap size of an object in bytes. Fields that are inherited from a class
  /// outside of the component are included in the cost of that class's constructor.
  ///
  /// @throws Refused if there are too many superclasses
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
