package sluice.verify;

import java.lang.classfile.Opcode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The methods that may be executed by a call, according to the classes of the component. Instances
/// are confined to the verifier's thread.
///
/// @param methods the methods of the component
/// @param outside the superclass outside of the component that declares the method, or null
/// @param refusal the reason why the targets are not known, or null
record Targets(List<MethodInfo> methods, @Nullable String outside, @Nullable String refusal) {
  private static final int MOST = 16;

  /// The superclasses whose methods do not hide the default methods of interfaces.
  private static final Set<String> PLAIN = Set.of("java/lang/Object", "java/lang/Record");

  static Targets unknown(String why) {
    return new Targets(List.of(), null, why);
  }

  /// Determines targets and caches them by class and signature.
  static final class Finder {
    private final Component component;
    private final Map<String, Targets> known = new HashMap<>();

    Finder(Component component) {
      this.component = component;
    }

    /// Returns the targets of a call.
    ///
    /// @param owner the class that is specified by the call
    Targets find(Opcode opcode, ClassInfo owner, String signature) {
      boolean exact = opcode == Opcode.INVOKESTATIC || opcode == Opcode.INVOKESPECIAL;
      String key = (exact ? "=" : "~") + owner.name() + "." + signature;
      Targets targets = known.get(key);
      if (targets == null) {
        targets = exact ? declared(owner, signature) : virtual(owner, signature);
        known.put(key, targets);
      }
      return targets;
    }

    /// Returns the method that is declared by the class or by its nearest superclass.
    private Targets declared(ClassInfo owner, String signature) {
      ClassInfo at = owner;
      for (int depth = 0; depth < Component.MAX_DEPTH; depth++) {
        MethodInfo method = at.method(signature);
        if (method != null) {
          return new Targets(List.of(method), null, null);
        }
        ClassInfo above = component.superOf(at);
        if (above == null) {
          boolean isPlain = PLAIN.contains(String.valueOf(at.superName()));
          MethodInfo inherited = isPlain ? fromInterfaces(owner, signature) : null;
          return inherited == null
              ? new Targets(List.of(), at.superName(), null)
              : new Targets(List.of(inherited), null, null);
        }
        at = above;
      }
      return unknown("its class has more than " + Component.MAX_DEPTH + " superclasses");
    }

    /// Returns the default method of the interfaces, or null if there is not exactly one.
    private @Nullable MethodInfo fromInterfaces(ClassInfo owner, String signature) {
      MethodInfo found = null;
      Deque<ClassInfo> waiting = new ArrayDeque<>(List.of(owner));
      Set<String> seen = new HashSet<>();
      while (!waiting.isEmpty()) {
        ClassInfo type = waiting.remove();
        if (!seen.add(type.name())) {
          continue;
        }
        if (seen.size() > Component.MAX_DEPTH) {
          return null;
        }
        MethodInfo method = type.has(ClassInfo.INTERFACE) ? type.method(signature) : null;
        if (method != null && !method.has(ClassInfo.ABSTRACT)) {
          if (found != null) {
            return null;
          }
          found = method;
        }
        List<String> above = new ArrayList<>(type.interfaces());
        if (type.superName() != null) {
          above.add(type.superName());
        }
        for (String name : above) {
          ClassInfo info = component.find(name);
          if (info != null) {
            waiting.add(info);
          }
        }
      }
      return found;
    }

    private Targets virtual(ClassInfo owner, String signature) {
      if (owner.permitted() != null) {
        return sealed(owner, signature);
      }
      if (owner.has(ClassInfo.INTERFACE)) {
        return unknown("it is a method of an interface that any class may implement");
      }
      Targets declared = declared(owner, signature);
      if (declared.refusal() != null) {
        return declared;
      }
      List<ClassInfo> overriding = component.overriding(owner, signature, 0);
      MethodInfo only = declared.methods().isEmpty() ? null : declared.methods().getFirst();
      if (only != null && only.has(ClassInfo.PRIVATE)) {
        return declared;
      }
      if (!overriding.isEmpty()) {
        return unknown("it is overridden in " + overriding.getFirst().shown());
      }
      if (component.isPart() && only != null && mayBeOverridden(owner, only)) {
        return unknown("a class outside of what is looked at may override it");
      }
      boolean isDefault = only != null && only.owner().has(ClassInfo.INTERFACE);
      if (isDefault && owner.enter() != owner.leave()) {
        return unknown("it is a default method, which interfaces of subclasses may replace");
      }
      if (only != null && only.has(ClassInfo.ABSTRACT)) {
        return unknown("it is abstract, and the class is not sealed");
      }
      return declared;
    }

    private static boolean mayBeOverridden(ClassInfo owner, MethodInfo method) {
      return !owner.has(ClassInfo.FINAL) && !method.has(ClassInfo.FINAL);
    }

    /// Returns all implementations in a sealed hierarchy.
    private Targets sealed(ClassInfo owner, String signature) {
      Set<MethodInfo> methods = new HashSet<>();
      Set<String> seen = new HashSet<>();
      Deque<String> waiting = new ArrayDeque<>(List.of(owner.name()));
      while (!waiting.isEmpty()) {
        String name = waiting.remove();
        ClassInfo type = component.find(name);
        if (type == null) {
          return unknown("the permitted class " + name + " is not in the component");
        }
        if (!seen.add(name)) {
          continue;
        }
        if (seen.size() > 4 * MOST) {
          return unknown("the sealed type permits too many classes");
        }
        Targets here =
            type.permitted() == null
                ? virtual(type, signature)
                : type.has(ClassInfo.ABSTRACT) ? null : declared(type, signature);
        if (here != null) {
          if (here.refusal() != null || here.outside() != null) {
            return here.refusal() != null ? here : unknown("a permitted class inherits it");
          }
          methods.addAll(here.methods());
        }
        waiting.addAll(type.permitted() == null ? List.of() : type.permitted());
      }
      return methods.size() > MOST
          ? unknown("it has more than " + MOST + " implementations")
          : new Targets(List.copyOf(methods), null, null);
    }
  }
}
