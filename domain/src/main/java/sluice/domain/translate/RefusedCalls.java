package sluice.domain.translate;

import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Instruction;
import java.lang.classfile.MethodModel;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import sluice.domain.inside.Refusal;
import sluice.verify.check.Finding;

/// Inserts a throw before each instruction of a method that is refused by a domain. Confined to one
/// thread.
///
/// The throw is a call of [Refusal], which does not change the locals and the stack, so the stack
/// map frames of the method remain valid. The instruction is kept after the throw, where it is
/// never reached. Jumps and handlers whose target was the instruction now lead to the throw before
/// it.
final class RefusedCalls implements CodeTransform {
  private static final ClassDesc REFUSAL = ClassDesc.of(Refusal.class.getName());
  private static final MethodTypeDesc AT =
      MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_String);

  /// The message of each refused instruction, by its zero-based index.
  private final Map<Integer, String> messages;

  private int instruction;
  private int put;

  RefusedCalls(Map<Integer, String> messages) {
    this.messages = messages;
  }

  /// Returns the messages of each method that has a refused instruction.
  ///
  /// @param findings the findings in the original class
  /// @param renamed the same class with relocated names; its methods are the keys of the result
  static Map<String, Map<Integer, String>> messages(
      List<Finding> findings, ClassModel model, ClassModel renamed) {
    if (findings.isEmpty()) {
      return Map.of();
    }
    Map<String, Map<Integer, String>> byMember = new HashMap<>();
    for (Finding each : findings) {
      byMember
          .computeIfAbsent(each.member(), _ -> new HashMap<>())
          .putIfAbsent(each.instruction(), text(each));
    }
    Map<String, Map<Integer, String>> result = new HashMap<>();
    for (int i = 0; i < model.methods().size(); i++) {
      Map<Integer, String> of = byMember.get(member(model.methods().get(i)));
      if (of != null) {
        result.put(member(renamed.methods().get(i)), of);
      }
    }
    return result;
  }

  /// Returns the name and descriptor of a method.
  static String member(MethodModel method) {
    return method.methodName().stringValue() + method.methodType().stringValue();
  }

  private static String text(Finding finding) {
    return Refused.text(where(finding), finding.rule().why(), finding.rule().fix());
  }

  /// Returns the class, method and line of a finding, and the member that is used there.
  static String where(Finding finding) {
    return finding.className()
        + "."
        + finding.member()
        + ", line "
        + finding.line()
        + ": "
        + finding.use();
  }

  /// Inserts a throw with the message of a refusal.
  static void put(CodeBuilder builder, Refused refused) {
    put(builder, String.valueOf(refused.getMessage()));
  }

  private static void put(CodeBuilder builder, String message) {
    builder.loadConstant(message).invokestatic(REFUSAL, "at", AT);
  }

  /// Resets the counters, because a method whose jumps are too long is generated a second time.
  @Override
  public void atStart(CodeBuilder builder) {
    instruction = -1;
    put = 0;
  }

  @Override
  public void accept(CodeBuilder builder, CodeElement element) {
    if (element instanceof Instruction) {
      instruction++;
      String message = messages.get(instruction);
      if (message != null) {
        put(builder, message);
        put++;
      }
    }
    builder.with(element);
  }

  @Override
  public void atEnd(CodeBuilder builder) {
    if (put != messages.size()) {
      throw new IllegalArgumentException(
          "a method has " + put + " of " + messages.size() + " refused calls");
    }
  }
}
