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

/// Finds the uses in the classes of a jar that a domain refuses, redirects or cannot enforce. This
/// class is not thread-safe.
///
/// A use is a call, a field access or a method handle (also in a lambda or a constant) of a member
/// whose class, or a supertype of this class, is in the rule table. Uses by reflection are not
/// detected, but there are rules for reflection itself.
public final class DomainCheck {
  /// The maximum number of types that are examined for one use.
  private static final int MOST = 256;

  private static final int NATIVE = 0x0100;

  private final RuleTable rules;
  private final Function<String, byte @Nullable []> source;
  private final List<ClassModel> classes = new ArrayList<>();
  private final Map<String, ClassModel> byName = new HashMap<>();
  private final List<String> unreadable = new ArrayList<>();

  /// Creates a check with the given rule table.
  public DomainCheck(RuleTable rules) {
    this(rules, _ -> null);
  }

  /// Creates a check for classes that are checked without the other classes of their program.
  ///
  /// @param source a function that returns the class file for the internal name of a class that has
  ///   not been added, or null if there is none
  public DomainCheck(RuleTable rules, Function<String, byte @Nullable []> source) {
    this.rules = rules;
    this.source = source;
  }

  /// Adds a class.
  ///
  /// @param origin the source of the bytes, for messages
  /// @param bytes the class file
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

  /// Returns a message for each class that could not be read. The list is complete after [#run] has
  /// returned.
  public List<String> unreadable() {
    return List.copyOf(unreadable);
  }

  /// Returns all findings, in the order of the classes.
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
      scan.report("native", "method", "native method");
    }
    String signature = method.methodName().stringValue() + method.methodType().stringValue();
    if (signature.equals("finalize()V")) {
      scan.report("java/lang/Object", "finalize", "finalize");
    }
    CodeModel code = method.code().orElse(null);
    if (code != null) {
      code.forEach(scan::element);
    }
  }

  /// The scan of one method.
  private final class Scan {
    private final String className;
    private final String member;
    private final List<Finding> findings;

    /// The superclass if the method is a constructor, or an empty string otherwise.
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

    /// Checks a constant, including the arguments of a dynamic constant.
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
      if (rules.isHarmless(owner, name)) {
        return;
      }
      ArrayDeque<String> ready = new ArrayDeque<>(List.of(owner));
      Set<String> seen = new HashSet<>();
      while (!ready.isEmpty() && seen.size() < MOST) {
        String at = ready.remove();
        if (!seen.add(at)) {
          continue;
        }
        Rule rule = rules.find(at, name);
        if (rule != null) {
          report(place(owner, name), owner.replace('/', '.') + "." + name, rule);
          return;
        }
        // The constructors of a JDK class call their superclasses' constructors unseen; all other
        // classes are checked themselves. Supertypes are only searched for names that occur in a
        // rule, because reading classes takes most of the time. A member that the component
        // declares is checked itself.
        if (rules.names(name)
            && (!name.equals(ConstantDescs.INIT_NAME) || JdkTypes.has(at))
            && !declares(at, name, descriptor)) {
          ready.addAll(above(at));
        }
      }
      if (ready.isEmpty() && JdkTypes.has(owner)) {
        rules.rememberHarmless(owner, name);
      }
    }

    /// Returns the instruction of a use. Returns -1 for the constructor of the superclass, because
    /// no object of the class can be created without it.
    private int place(String owner, String name) {
      boolean ofClass = name.equals(ConstantDescs.INIT_NAME) && owner.equals(constructed);
      return ofClass ? -1 : instruction;
    }

    /// Reports a use of the given member if there is a matching rule.
    void report(String owner, String name, String shown) {
      Rule rule = rules.find(owner, name);
      if (rule != null) {
        report(-1, shown, rule);
      }
    }

    private void report(int place, String shown, Rule rule) {
      findings.add(new Finding(className, member, line, place, shown, rule));
    }
  }

  /// Returns the supertypes of a class. A name of the JDK always refers to the class of the JDK.
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

  /// Returns true if a class of the component declares the member.
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
