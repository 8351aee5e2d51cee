package sluice.verify;

import java.lang.classfile.Instruction;
import java.lang.classfile.Opcode;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.ConstantDynamicEntry;
import java.lang.classfile.constantpool.FieldRefEntry;
import java.lang.classfile.constantpool.InvokeDynamicEntry;
import java.lang.classfile.constantpool.LoadableConstantEntry;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.constant.ClassDesc;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Finds the methods that an instruction executes implicitly, in addition to the method that it
/// calls by name. These are class initializers, finalizers, and bootstrap methods of constants. The
/// search for callees and the analysis use the same gate, so that there is a verdict on each method
/// before it is charged. Instances are confined to the verifier's thread.
///
/// | instruction | runs |
/// |---|---|
/// | `getstatic`, `putstatic` | initializers of the type that has the field as the JVM resolves it |
/// | `invokestatic` | initializers of the type that has the method |
/// | `new` | initializers of the class, and later the finalizer of the object |
/// | `invokedynamic` | initializers of the interfaces that a lambda implements |
/// | any constant, static arguments too | a method, if it is dynamic: refused |
///
/// If an initializer fails, the JVM calls `getStackTrace` of the exception.
final class Gate {
  private static final String STACK_TRACE = "getStackTrace()[Ljava/lang/StackTraceElement;";
  private static final int MOST_UPCALLS = 16;

  private final Host host;
  private final Component component;
  private final Initialization.Finder initializations;
  private final IdentityHashMap<PoolEntry, Passage> known = new IdentityHashMap<>();
  private final Set<String> used = new LinkedHashSet<>();
  private final boolean haveRun;

  /// Creates a gate.
  ///
  /// @param haveRun true if the host executes the initializers of the component's classes before it
  ///   calls a method; these classes are returned by [#used]
  Gate(Host host, Component component, boolean haveRun) {
    this.haveRun = haveRun;
    this.host = host;
    this.component = component;
    this.initializations = new Initialization.Finder(component);
  }

  /// Returns the methods that an instruction in `caller` executes implicitly.
  Passage of(ClassInfo caller, Instruction instruction) throws Refused {
    return switch (instruction) {
      case FieldInstruction field
          when field.opcode() == Opcode.GETSTATIC || field.opcode() == Opcode.PUTSTATIC ->
          remembered(caller, field.field());
      case InvokeInstruction call when call.opcode() == Opcode.INVOKESTATIC ->
          remembered(caller, call.method());
      case NewObjectInstruction creation -> remembered(caller, creation.className());
      case InvokeDynamicInstruction call -> remembered(caller, call.invokedynamic());
      case ConstantInstruction.LoadConstantInstruction load
          when load.constantEntry() instanceof ConstantDynamicEntry ->
          Passage.refused(dynamic("a constant"));
      default -> Passage.NONE;
    };
  }

  private Passage remembered(ClassInfo caller, PoolEntry entry) throws Refused {
    Passage passage = known.get(entry);
    if (passage == null) {
      host.steps().take(1);
      try {
        passage =
            switch (entry) {
              case FieldRefEntry field -> field(caller, field);
              case MemberRefEntry method -> call(caller, method);
              case ClassEntry type -> creation(caller, type.asInternalName());
              case InvokeDynamicEntry call -> bootstrap(caller, call);
              default -> Passage.NONE;
            };
      } catch (Refused e) {
        passage = Passage.refused(e);
      }
      known.put(entry, passage);
    }
    return passage;
  }

  private Passage field(ClassInfo caller, FieldRefEntry field) throws Refused {
    String owner = field.owner().asInternalName();
    String key = field.name().stringValue() + ' ' + field.type().stringValue();
    Resolution found = new Resolution();
    ClassInfo type = found.of(owner, key);
    for (String outside : found.outside) {
      if (!host.costs().knows(outside)) {
        throw unknown(outside);
      }
    }
    return type == null ? Passage.NONE : first(caller, type, null);
  }

  private Passage call(ClassInfo caller, MemberRefEntry method) throws Refused {
    String owner = method.owner().asInternalName();
    String signature = method.name().stringValue() + method.type().stringValue();
    Targets targets = host.targets(caller, Opcode.INVOKESTATIC, owner, signature);
    return targets == null || targets.methods().isEmpty()
        ? Passage.NONE // refused by the call, or covered by the cost table
        : first(caller, targets.methods().getFirst().owner(), null);
  }

  private Passage creation(ClassInfo caller, String name) throws Refused {
    ClassInfo type = component.find(name);
    if (type == null) {
      if (!host.costs().knows(name)) {
        throw unknown(name);
      }
      return Passage.NONE;
    }
    return first(caller, type, finalizer(type));
  }

  /// Returns the finalizer of a class, which is executed by the garbage collector, or null if there
  /// is none. A private or static method is not a finalizer.
  private @Nullable MethodInfo finalizer(ClassInfo type) throws Refused {
    int depth = 0;
    for (ClassInfo at = type; at != null; at = component.superOf(at)) {
      MethodInfo method = at.method("finalize()V");
      if (method != null && !method.has(ClassInfo.STATIC) && !method.has(ClassInfo.PRIVATE)) {
        return method;
      }
      if (++depth > Component.MAX_DEPTH) {
        throw new Refused(Reason.CLASS_INIT, -1, type.shown() + " has too many supertypes");
      }
    }
    return null;
  }

  private Passage bootstrap(ClassInfo caller, InvokeDynamicEntry call) throws Refused {
    List<String> interfaces = new ArrayList<>();
    for (LoadableConstantEntry argument : call.bootstrap().arguments()) {
      if (argument instanceof ConstantDynamicEntry) {
        throw dynamic("an argument of a bootstrap method");
      }
      if (argument instanceof ClassEntry marker) {
        interfaces.add(marker.asInternalName());
      }
    }
    if (!Bootstraps.isLambda(call)) {
      return Passage.NONE;
    }
    ClassDesc type = call.typeSymbol().returnType();
    if (type.isClassOrInterface()) {
      String descriptor = type.descriptorString();
      interfaces.add(descriptor.substring(1, descriptor.length() - 1));
    }
    return first(caller, initializations.ofImplementing(interfaces), null);
  }

  private Passage first(ClassInfo caller, ClassInfo type, @Nullable MethodInfo finalizer)
      throws Refused {
    return component.isBelow(caller, type) && finalizer == null
        ? Passage.NONE
        : first(caller, initializations.of(type), finalizer);
  }

  /// Returns the passage for the first use of the given types, not including types that are
  /// initialized together with the caller.
  private Passage first(ClassInfo caller, Initialization used, @Nullable MethodInfo finalizer)
      throws Refused {
    Initialization callers = callers(caller);
    for (String outside : used.outside()) {
      if (!callers.outside().contains(outside) && !host.isOfTheHost(outside)) {
        throw unknown(outside);
      }
    }
    List<MethodInfo> initializers = new ArrayList<>();
    if (haveRun) {
      used.types().forEach(type -> this.used.add(type.shown()));
    }
    for (ClassInfo type : haveRun ? Set.<ClassInfo>of() : used.types()) {
      MethodInfo initializer = type.method("<clinit>()V");
      if (initializer != null && !callers.types().contains(type)) {
        initializers.add(initializer);
      }
    }
    if (initializers.isEmpty() && finalizer == null) {
      return Passage.NONE;
    }
    return new Passage(
        initializers, initializers.isEmpty() ? List.of() : upcalls(), finalizer, null);
  }

  /// Returns the names of the classes that were assumed to be initialized.
  Set<String> used() {
    return used;
  }

  private Initialization callers(ClassInfo caller) {
    try {
      return initializations.of(caller);
    } catch (Refused e) {
      return new Initialization(Set.of(), Set.of()); // overestimates the cost
    }
  }

  private List<MethodInfo> upcalls() throws Refused {
    List<ClassInfo> declaring = component.declaring(STACK_TRACE);
    if (declaring.size() > MOST_UPCALLS) {
      throw new Refused(
          Reason.CLASS_INIT, -1, "more than " + MOST_UPCALLS + " classes override getStackTrace");
    }
    List<MethodInfo> upcalls = new ArrayList<>();
    for (ClassInfo type : declaring) {
      MethodInfo method = type.method(STACK_TRACE);
      if (method != null && !method.has(ClassInfo.ABSTRACT)) {
        upcalls.add(method);
      }
    }
    return upcalls;
  }

  private static Refused unknown(String type) {
    return new Refused(
        Reason.CLASS_INIT, -1, "the initializer of " + type.replace('/', '.') + " is not known");
  }

  private static Refused dynamic(String which) {
    return new Refused(Reason.BOOTSTRAP, -1, which + " is made by a method when it is used");
  }

  /// The resolution of a static field (JVMS 5.4.3.2).
  private final class Resolution {
    /// The supertypes outside of the component that may declare the field, because they are
    /// searched before the supertypes in the component.
    final Set<String> outside = new LinkedHashSet<>();

    private final Set<String> seen = new HashSet<>();

    /// Searches a type and its supertypes.
    ///
    /// @return null if no type of the component declares the field
    @Nullable ClassInfo of(String name, String key) throws Refused {
      ClassInfo type = component.find(name);
      if (!seen.add(name)) {
        return null;
      }
      if (seen.size() > Component.MAX_DEPTH) {
        throw new Refused(Reason.CLASS_INIT, -1, "a static field is looked for in too many types");
      }
      if (type == null) {
        outside.add(name);
        return null;
      }
      if (type.declaresField(key)) {
        return type;
      }
      for (String above : type.interfaces()) {
        ClassInfo found = of(above, key);
        if (found != null) {
          return found;
        }
      }
      return type.superName() == null ? null : of(type.superName(), key);
    }
  }

  /// The methods of the component that one instruction executes implicitly.
  ///
  /// @param initializers the class initializers, each of which is executed at most once during the
  ///   lifetime of the program
  /// @param upcalls the methods that the JVM may execute when an initializer fails
  /// @param finalizer the finalizer of an object that is created by the instruction, or null
  /// @param refused the reason why the methods are not known, or null
  record Passage(
      List<MethodInfo> initializers,
      List<MethodInfo> upcalls,
      @Nullable MethodInfo finalizer,
      @Nullable Refused refused) {
    /// The passage of an instruction that does not execute any methods implicitly.
    static final Passage NONE = new Passage(List.of(), List.of(), null, null);

    /// The cost of registering an object that has a finalizer with the JVM.
    private static final Bound REGISTERED = new Bound(200, 64);

    static Passage refused(Refused why) {
      return new Passage(List.of(), List.of(), null, why);
    }

    List<MethodInfo> methods() {
      List<MethodInfo> all = new ArrayList<>(initializers);
      all.addAll(upcalls);
      if (finalizer != null) {
        all.add(finalizer);
      }
      return all;
    }

    /// Charges the cost of these methods.
    ///
    /// @param at the index of the instruction
    void charge(Pass pass, int at, int block) throws Refused {
      if (refused != null) {
        throw new Refused(refused.reason(), at, refused.why());
      }
      Bound failure = Bound.NONE;
      for (MethodInfo upcall : initializers.isEmpty() ? List.<MethodInfo>of() : upcalls) {
        failure = failure.plus(summary(upcall, at).total());
      }
      for (MethodInfo initializer : initializers) {
        Bound cost = summary(initializer, at).total().plus(failure);
        pass.chargeOnce(initializer.owner().name(), cost);
      }
      if (finalizer == null) {
        pass.charged(this);
      } else {
        Summary summary = summary(finalizer, at);
        pass.charge(block, summary.each().plus(REGISTERED));
        pass.call(finalizer, summary);
      }
    }

    private Summary summary(MethodInfo method, int at) throws Refused {
      Refusal refusal = method.refusal();
      Summary summary = method.summary();
      if (refusal != null || summary == null) {
        boolean isInitializer = method.name().equals("<clinit>");
        throw new Refused(
            method == finalizer ? Reason.REFUSED_CALLEE : Reason.CLASS_INIT,
            at,
            (isInitializer ? "the initializer of " + method.owner().shown() : method.shown())
                + (method == finalizer ? ", which the collector runs" : "")
                + (upcalls.contains(method) ? ", which the JVM runs if an initializer fails" : "")
                + (refusal == null ? " leads back here" : ": " + refusal.why()));
      }
      return summary;
    }
  }

  /// The types that are initialized when a type is first used (JVMS 5.5). These are the type, its
  /// superclasses, and all superinterfaces that have a non-static method with code. The first use
  /// of an interface initializes only the interface itself. Instances are immutable.
  ///
  /// @param types the types that belong to the component
  /// @param outside the names of the other superclasses and superinterfaces
  record Initialization(Set<ClassInfo> types, Set<String> outside) {

    /// Determines and caches the initializations of types. Instances are confined to the verifier's
    /// thread.
    static final class Finder {
      private final Component component;
      private final Map<ClassInfo, Initialization> known = new HashMap<>();

      Finder(Component component) {
        this.component = component;
      }

      /// Returns the initialization of the given type.
      ///
      /// @throws Refused if there are too many supertypes
      Initialization of(ClassInfo type) throws Refused {
        Initialization found = known.get(type);
        if (found == null) {
          found =
              type.has(ClassInfo.INTERFACE)
                  ? new Initialization(Set.of(type), Set.of())
                  : follow(List.of(type.name()));
          known.put(type, found);
        }
        return found;
      }

      /// Returns the initialization of a generated class that implements the given interfaces.
      ///
      /// @throws Refused if there are too many supertypes
      Initialization ofImplementing(List<String> interfaces) throws Refused {
        return follow(interfaces);
      }

      private Initialization follow(List<String> first) throws Refused {
        Set<ClassInfo> types = new LinkedHashSet<>();
        Set<String> outside = new LinkedHashSet<>();
        Set<String> seen = new LinkedHashSet<>(first);
        Deque<String> waiting = new ArrayDeque<>(seen);
        while (!waiting.isEmpty()) {
          String name = waiting.remove();
          ClassInfo type = component.find(name);
          if (type == null) {
            outside.add(name);
            continue;
          }
          if (!type.has(ClassInfo.INTERFACE) || type.hasDefaults()) {
            types.add(type);
          }
          for (String above : type.supertypes()) {
            if (seen.add(above)) {
              waiting.add(above);
            }
            if (seen.size() > Component.MAX_DEPTH) {
              throw new Refused(Reason.CLASS_INIT, -1, type.shown() + " has too many supertypes");
            }
          }
        }
        return new Initialization(types, outside);
      }
    }
  }
}
