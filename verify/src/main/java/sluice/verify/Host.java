package sluice.verify;

import java.lang.classfile.Opcode;
import org.jspecify.annotations.Nullable;

/// The objects that all analyses of one run share: the component, the cost table and the limits.
/// Confined to the verifier's thread.
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

  /// Returns the length of the longest string that a static field of the component may hold.
  int longestInField() {
    return Math.max(limits.maxLength(), component.longestConstant());
  }

  @Nullable ClassInfo find(String name) {
    return component.find(name);
  }

  /// Returns the targets of a call, or null if the named class is not in the component.
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
      // The JVM starts at the direct superclass, even if the call names another one.
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

  /// Returns true if a class of the component extends the named class of the JDK.
  boolean extendsOutside(String name) {
    return component.extendsOutside(name);
  }

  /// Returns true if the creation of a JDK exception calls a method of the component.
  boolean overridesFillInStackTrace() {
    return !component.declaring("fillInStackTrace()Ljava/lang/Throwable;").isEmpty();
  }

  /// Returns the maximum heap size of an object in bytes. The fields that it inherits from outside
  /// of the component are counted with the constructor there.
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
