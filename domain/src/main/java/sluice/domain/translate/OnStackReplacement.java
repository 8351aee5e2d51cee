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

/// Prevents class initializers from being compiled while they run (on-stack replacement, OSR). Any
/// thread may call.
///
/// In JDK 25, a virtual thread that waits below a class initializer with a replaced frame is
/// unmounted together with the JVM's frames that called the initializer. Those frames are only
/// valid on the stack on which they were created, so the JVM crashes when the thread is mounted on
/// another one. `SharedRuntime::OSR_migration_begin` checks if the caller of the replaced frame is
/// interpreted, but not if it is the JVM. An interpreted initializer pins the thread, as
/// documented.
///
/// Methods of more than 8 000 bytes are never compiled (`-XX:+DontCompileHugeMethods`, the JVM's
/// default). Therefore an initializer that contains a loop is padded with `nop` instructions.
final class OnStackReplacement {
  /// The size of the largest method that HotSpot compiles, in bytes.
  private static final int LARGEST_COMPILED = 8_000;

  private OnStackReplacement() {}

  /// Returns the number of `nop` instructions to insert at the beginning of a method.
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
