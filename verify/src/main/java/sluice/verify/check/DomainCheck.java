package sluice.verify.check;

import java.lang.classfile.BootstrapMethodEntry;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.Instruction;
import java.lang.classfile.MethodModel;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.ConstantDynamicEntry;
import java.lang.classfile.constantpool.LoadableConstantEntry;
import java.lang.classfile.constantpool.MethodHandleEntry;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LineNumber;
import java.lang.constant.ConstantDescs;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Names what the classes of a jar use that a domain refuses, redirects or cannot enforce. Of one
/// thread.
///
/// A use is a call, a field, or a method handle, also one in a lambda or a constant, whose owner or
/// a type above it is in the table of rules. What a class reaches by reflection is not seen; the
/// rules name reflection.
public final class DomainCheck {
  /// How many types above another are looked at.
  private static final int MOST = 256;

  private static final int NATIVE = 0x0100;

  private final RuleTable rules;
  private final Function<String, byte @Nullable []> source;
  private final List<ClassModel> classes = new ArrayList<>();
  private final Map<String, ClassModel> byName = new HashMap<>();
  private final List<String> unreadable = new ArrayList<>();

  /// With the rules that count.
  public DomainCheck(RuleTable rules) {
    this(rules, _ -> null);
  }

  /// As above, for a class that is checked alone.
  ///
  /// @param source the bytes of classes that are not added, by internal name; null for one it lacks
  public DomainCheck(RuleTable rules, Function<String, byte @Nullable []> source) {
    this.rules = rules;
    this.source = source;
  }

  /// Adds a class.
  ///
  /// @param origin where the bytes come from, for messages
  public void add(String origin, byte[] bytes) {
    try {
      ClassModel model = ClassFile.of().parse(bytes);
      if (byName.putIfAbsent(model.thisClass().asInternalName(), model) == null) {
        classes.add(model);
      }
    } catch (RuntimeException e) {
      unreadable.add(origin + ": " + e.getMessage());
    }
  }

  /// What could not be read, one message each; complete after [#run].
  public List<String> unreadable() {
    return List.copyOf(unreadable);
  }

  /// All findings, in the order of the classes.
  public List<Finding> run() {
    List<Finding> findings = new ArrayList<>();
    for (ClassModel model : classes) {
      try {
        for (MethodModel method : model.methods()) {
          scan(model, method, findings);
        }
      } catch (RuntimeException e) {
        unreadable.add(model.thisClass().asInternalName() + ": " + e.getMessage());
      }
    }
    return findings;
  }

  private void scan(ClassModel model, MethodModel method, List<Finding> findings) {
    Scan scan = new Scan(model, method, findings);
    if ((method.flags().flagsMask() & NATIVE) != 0) {
      scan.report(-1, "native", "method", "native method");
    }
    String signature = method.methodName().stringValue() + method.methodType().stringValue();
    if (signature.equals("finalize()V")) {
      scan.report(-1, "java/lang/Object", "finalize", "finalize");
    }
    CodeModel code = method.code().orElse(null);
    if (code != null) {
      code.forEach(scan::element);
    }
  }

  /// One method.
  private final class Scan {
    private final String className;
    private final String member;
    private final List<Finding> findings;

    /// The superclass, in a constructor; else empty.
    private final String constructed;

    private int line;
    private int instruction = -1;

    Scan(ClassModel model, MethodModel method, List<Finding> findings) {
      className = model.thisClass().asInternalName().replace('/', '.');
      member = method.methodName().stringValue() + method.methodType().stringValue();
      this.findings = findings;
      constructed =
          method.methodName().equalsString(ConstantDescs.INIT_NAME)
              ? model.superclass().map(ClassEntry::asInternalName).orElse("")
              : "";
    }

    void element(CodeElement element) {
      if (element instanceof Instruction) {
        instruction++;
      }
      switch (element) {
        case LineNumber number -> line = number.line();
        case InvokeInstruction call ->
            use(
                call.owner().asInternalName(),
                call.name().stringValue(),
                call.type().stringValue());
        case FieldInstruction field ->
            use(
                field.owner().asInternalName(),
                field.name().stringValue(),
                field.type().stringValue());
        case InvokeDynamicInstruction call -> bootstrap(call.invokedynamic().bootstrap());
        case ConstantInstruction.LoadConstantInstruction load -> constant(load.constantEntry());
        default -> {}
      }
    }

    private void bootstrap(BootstrapMethodEntry entry) {
      constant(entry.bootstrapMethod());
      entry.arguments().forEach(this::constant);
    }

    /// A constant that a method makes may have others as its arguments.
    private void constant(LoadableConstantEntry entry) {
      ArrayDeque<LoadableConstantEntry> ready = new ArrayDeque<>(List.of(entry));
      Set<Integer> made = new HashSet<>();
      while (!ready.isEmpty()) {
        switch (ready.remove()) {
          case MethodHandleEntry handle ->
              use(
                  handle.reference().owner().asInternalName(),
                  handle.reference().name().stringValue(),
                  handle.reference().type().stringValue());
          case ConstantDynamicEntry dynamic when made.add(dynamic.index()) -> {
            ready.add(dynamic.bootstrap().bootstrapMethod());
            ready.addAll(dynamic.bootstrap().arguments());
          }
          default -> {}
        }
      }
    }

    private void use(String owner, String name, String descriptor) {
      ArrayDeque<String> ready = new ArrayDeque<>(List.of(owner));
      Set<String> seen = new HashSet<>();
      while (!ready.isEmpty() && seen.size() < MOST) {
        String at = ready.remove();
        if (!seen.add(at)) {
          continue;
        }
        if (report(place(owner, name), at, name, owner.replace('/', '.') + "." + name)) {
          return;
        }
        // Only a constructor of the JDK calls those above it unseen. A class is read for names that
        // have a rule alone: that takes longer than all the rest. A member that the component
        // declares is checked itself.
        if (rules.names(name)
            && (!name.equals(ConstantDescs.INIT_NAME) || JdkTypes.has(at))
            && !declares(at, name, descriptor)) {
          ready.addAll(above(at));
        }
      }
    }

    /// Without the constructor of its superclass, a class has no objects.
    private int place(String owner, String name) {
      boolean ofClass = name.equals(ConstantDescs.INIT_NAME) && owner.equals(constructed);
      return ofClass ? -1 : instruction;
    }

    boolean report(int place, String owner, String name, String shown) {
      Rule rule = rules.find(owner, name);
      if (rule != null) {
        findings.add(new Finding(className, member, line, place, shown, rule));
      }
      return rule != null;
    }
  }

  /// The types above a class of the JDK, which has its names first, or of the component.
  private List<String> above(String name) {
    List<String> ofJdk = JdkTypes.above(name);
    if (ofJdk != null) {
      return ofJdk;
    }
    ClassModel type = model(name);
    List<String> above = new ArrayList<>();
    if (type != null) {
      type.superclass().map(ClassEntry::asInternalName).ifPresent(above::add);
      type.interfaces().forEach(each -> above.add(each.asInternalName()));
    }
    return above;
  }

  private @Nullable ClassModel model(String name) {
    ClassModel known = byName.get(name);
    byte[] bytes = known == null ? source.apply(name) : null;
    return bytes == null ? known : ClassFile.of().parse(bytes);
  }

  /// Whether a class of the component has a member of this name and type.
  private boolean declares(String owner, String name, String descriptor) {
    ClassModel type = JdkTypes.has(owner) ? null : model(owner);
    return type != null
        && (type.methods().stream()
                .anyMatch(method ->
                    method.methodName().equalsString(name)
                        && method.methodType().equalsString(descriptor))
            || type.fields().stream()
                .anyMatch(field ->
                    field.fieldName().equalsString(name)
                        && field.fieldType().equalsString(descriptor)));
  }
}
