package sluice.domain.translate;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.attribute.CodeAttribute;
import java.lang.classfile.instruction.LabelTarget;
import java.lang.constant.ConstantDescs;
import java.util.HashSet;
import java.util.Set;

/// Keeps class initializers from being compiled while they run (on-stack replacement, OSR). Any
/// thread may call.
///
/// In JDK 25, a virtual thread that waits below a replaced class initializer is unmounted together
/// with the frames of the JVM that called it. They are valid only on the stack that they came from,
/// so the JVM crashes when the thread is mounted on another. `SharedRuntime::OSR_migration_begin`
/// asks whether the caller of the replaced frame is interpreted, and not whether it is the JVM. An
/// initializer that is interpreted pins the thread, as is documented.
///
/// A method of more than 8 000 bytes is never compiled (`-XX:+DontCompileHugeMethods`, which is the
/// JVM's default), so an initializer with a loop gets instructions that do nothing.
final class OnStackReplacement {
  /// Bytes of the largest method that HotSpot compiles.
  private static final int LARGEST_COMPILED = 8_000;

  private OnStackReplacement() {}

  /// Returns how many instructions that do nothing a method is to begin with.
  static int padding(MethodModel method, CodeModel code) {
    if (!method.methodName().equalsString(ConstantDescs.CLASS_INIT_NAME)
        || (code instanceof CodeAttribute attribute && attribute.codeLength() > LARGEST_COMPILED)
        || !hasLoop(code)) {
      return 0;
    }
    return LARGEST_COMPILED + 1;
  }

  static void pad(CodeBuilder builder, int count) {
    for (int i = 0; i < count; i++) {
      builder.nop();
    }
  }

  private static boolean hasLoop(CodeModel code) {
    Set<Label> seen = new HashSet<>();
    for (CodeElement element : code) {
      if (element instanceof LabelTarget target) {
        seen.add(target.label());
      } else if (Handlers.goesBack(element, seen)) {
        return true;
      }
    }
    return false;
  }
}
