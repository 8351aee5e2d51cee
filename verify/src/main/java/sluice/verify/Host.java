package sluice.verify;

import java.lang.classfile.Opcode;
import org.jspecify.annotations.Nullable;

/// What all analyses of one run share: the component, the table of costs and the limits. Of the
/// verifier's thread.
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

  /// Whether a type outside the component is one of the JDK, of Sluice or of the table, so that its
  /// initializer ends.
  boolean isOfTheHost(String name) {
    return costs.knows(name)
        || Component.isOfTheJdk(name)
        || name.startsWith("sluice/")
        || ClassLoader.getPlatformClassLoader().getResource(name + ".class") != null;
  }

  /// Whether the component has a class that extends this one of the JDK.
  boolean extendsOutside(String name) {
    return component.extendsOutside(name);
  }

  /// Whether a class of the component is called while an exception of the JDK is made.
  boolean overridesFillInStackTrace() {
    return !component.declaring("fillInStackTrace()Ljava/lang/Throwable;").isEmpty();
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
