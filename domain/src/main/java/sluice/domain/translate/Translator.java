package sluice.domain.translate;

import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeModel;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodBuilder;
import java.lang.classfile.MethodModel;
import java.lang.classfile.attribute.StackMapTableAttribute;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import sluice.verify.check.DomainCheck;
import sluice.verify.check.Finding;
import sluice.verify.check.RuleTable;

/// Translates classes for domains. It inserts gates, and replaces streams, properties, threads and
/// patterns with those of the domain. No state is kept between calls, so any thread may call.
///
/// The rules of [DomainCheck] determine which calls are refused. [Redirects] lists the calls that
/// are redirected.
public final class Translator {
  /// The version of the translation. It must be changed if the same class is translated
  /// differently.
  public static final int VERSION = 10;

  private static final ClassFile FILES = ClassFile.of(ClassFile.StackMapsOption.DROP_STACK_MAPS);

  /// Drops the names of local variables and unused constants, which saves a seventh of the time
  /// that the JVM takes to define a class. Line numbers are preserved.
  private static final ClassFile SMALL =
      ClassFile.of(
          ClassFile.StackMapsOption.DROP_STACK_MAPS,
          ClassFile.DebugElementsOption.DROP_DEBUG,
          ClassFile.ConstantPoolSharingOption.NEW_POOL);

  private static final String CLASS_VALUE = "java/lang/ClassValue";

  /// Holds the tables, which are loaded when the first class is translated, because they are not
  /// required for cached classes.
  private static final class Tables {
    static final RuleTable RULES = RuleTable.standard();
    static final Redirects REDIRECTS = new Redirects();

    private Tables() {}
  }

  /// Returns the domain's own copy of a class, which is translated if it is a JDK class, or null if
  /// the name does not belong to a copy.
  public byte @Nullable [] own(String internalName) {
    byte[] copy = Relocation.copy(internalName);
    if (copy == null || Relocation.isOurs(internalName)) {
      return copy;
    }
    return weave(SMALL.parse(copy), Map.of(), Relocation::copy);
  }

  /// Translates a class of a component. Calls that a domain refuses are replaced by a throw.
  ///
  /// @throws Refused if the class is refused; the message states the class, method and line, the
  ///   reason and the fix
  public byte[] translate(byte[] bytes, ClassSource source) {
    String name = "class";
    try {
      ClassModel model = FILES.parse(bytes);
      name = model.thisClass().asInternalName().replace('/', '.');
      List<Finding> calls = check(model, bytes, source);
      ClassModel renamed = SMALL.parse(Relocation.rename(bytes));
      return weave(renamed, RefusedCalls.messages(calls, model, renamed), source);
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      throw new Refused(
          name,
          "it cannot be read, or is too large with gates (" + e.getMessage() + ")",
          "compile it again, or divide its largest method");
    }
  }

  /// Returns the calls that must throw an exception.
  private static List<Finding> check(ClassModel model, byte[] bytes, ClassSource source) {
    DomainCheck check = new DomainCheck(Tables.RULES, source::read);
    check.add(model.thisClass().asInternalName(), bytes);
    List<Finding> calls = new ArrayList<>();
    for (Finding finding : check.run()) {
      if (finding.refusesClass()) {
        throw new Refused(RefusedCalls.where(finding), finding.rule().why(), finding.rule().fix());
      }
      if (finding.throwsAtCall()) {
        calls.add(finding);
      }
    }
    if (!check.unreadable().isEmpty()) {
      throw new IllegalArgumentException(check.unreadable().getFirst());
    }
    return calls;
  }

  private static byte[] weave(
      ClassModel model, Map<String, Map<Integer, String>> refused, ClassSource source) {
    Ancestry ancestry = new Ancestry(source);
    String name = model.thisClass().asInternalName().replace('/', '.');
    ClassTransform methods =
        (builder, element) -> {
          if (element instanceof MethodModel method && method.code().isPresent()) {
            builder.transformMethod(
                method,
                (body, part) -> {
                  if (part instanceof CodeModel code) {
                    Weaver weaver = weaver(code, method, name, ancestry);
                    Map<Integer, String> calls = refused.get(RefusedCalls.member(method));
                    weave(
                        body,
                        code,
                        calls == null ? weaver : new RefusedCalls(calls).andThen(weaver));
                  } else {
                    body.with(part);
                  }
                });
          } else {
            builder.with(element);
          }
        };
    ClassTransform own = OwnMethods.of(model, ancestry);
    return SMALL.transformClass(model, own == null ? methods : methods.andThen(own));
  }

  private static Weaver weaver(
      CodeModel code, MethodModel method, String owner, Ancestry ancestry) {
    return new Weaver(
        owner + "." + method.methodName().stringValue(),
        code,
        Tables.REDIRECTS,
        ancestry,
        computesValue(method, ancestry),
        OnStackReplacement.padding(method, code));
  }

  private static void weave(MethodBuilder body, CodeModel code, CodeTransform weaver) {
    body.transformCode(
        code,
        weaver.andThen(
            CodeTransform.endHandler(builder ->
                code.findAttribute(Attributes.stackMapTable())
                    .ifPresent(
                        table -> builder.with(StackMapTableAttribute.of(table.entries()))))));
  }

  private static boolean computesValue(MethodModel method, Ancestry ancestry) {
    return method.methodName().equalsString("computeValue")
        && method.methodType().stringValue().startsWith("(Ljava/lang/Class;)")
        && method
            .parent()
            .flatMap(ClassModel::superclass)
            .filter(above -> ancestry.ofJdk(above.asInternalName()).contains(CLASS_VALUE))
            .isPresent();
  }
}
