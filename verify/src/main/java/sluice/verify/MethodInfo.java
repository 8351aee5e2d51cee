package sluice.verify;

import java.lang.classfile.MethodModel;
import org.jspecify.annotations.Nullable;

/// A method of a component and its verdict. Instances are confined to the verifier's thread.
final class MethodInfo {
  private final ClassInfo owner;
  private final MethodModel model;
  private final String name;
  private final String descriptor;
  private @Nullable Summary summary;
  private @Nullable Refusal refusal;
  private int line;
  private int size;

  MethodInfo(ClassInfo owner, MethodModel model) {
    this.owner = owner;
    this.model = model;
    this.name = model.methodName().stringValue();
    this.descriptor = model.methodType().stringValue();
  }

  ClassInfo owner() {
    return owner;
  }

  MethodModel model() {
    return model;
  }

  String name() {
    return name;
  }

  String signature() {
    return name + descriptor;
  }

  boolean has(int flag) {
    return (model.flags().flagsMask() & flag) != 0;
  }

  /// Returns the name for messages, which has the form `package.Name.method`.
  String shown() {
    return owner.shown() + "." + name;
  }

  void describe(int firstLine, int instructions) {
    line = firstLine;
    size = instructions;
  }

  void accept(Summary found) {
    summary = found;
  }

  void refuse(Reason reason, int at, String why) {
    refusal = new Refusal(reason, at, why);
  }

  boolean isDecided() {
    return summary != null || refusal != null;
  }

  @Nullable Summary summary() {
    return summary;
  }

  @Nullable Refusal refusal() {
    return refusal;
  }

  MethodVerdict verdict() {
    Summary accepted = refusal == null ? summary : null;
    return new MethodVerdict(
        owner.shown(),
        signature(),
        line,
        size,
        accepted == null ? null : accepted.total(),
        refusal);
  }
}
