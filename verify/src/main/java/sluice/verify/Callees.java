package sluice.verify;

import java.lang.classfile.Instruction;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The methods of the component that a method may call or initialize.
final class Callees {
  private final Host host;
  private final MethodInfo caller;
  private final Set<MethodInfo> found = new LinkedHashSet<>();

  private Callees(Host host, MethodInfo caller) {
    this.host = host;
    this.caller = caller;
  }

  static List<MethodInfo> of(MethodInfo caller, Code code, Host host) throws Refused {
    Callees callees = new Callees(host, caller);
    for (Instruction instruction : code.instructions()) {
      host.steps().take(1);
      switch (instruction) {
        case InvokeInstruction call -> callees.call(call);
        case FieldInstruction field
            when field.opcode() == Opcode.GETSTATIC || field.opcode() == Opcode.PUTSTATIC ->
            callees.initialize(host.find(field.owner().asInternalName()));
        case NewObjectInstruction creation ->
            callees.initialize(host.find(creation.className().asInternalName()));
        default -> {}
      }
    }
    return List.copyOf(callees.found);
  }

  private void call(InvokeInstruction call) throws Refused {
    String signature = call.name().stringValue() + call.type().stringValue();
    Targets targets =
        host.targets(caller.owner(), call.opcode(), call.owner().asInternalName(), signature);
    if (targets == null) {
      return;
    }
    for (MethodInfo target : targets.methods()) {
      host.steps().take(1);
      found.add(target);
      if (call.opcode() == Opcode.INVOKESTATIC) {
        initialize(target.owner());
      }
    }
  }

  private void initialize(@Nullable ClassInfo type) {
    if (type == null) {
      return;
    }
    try {
      List<MethodInfo> initializers = host.initializers(caller.owner(), type);
      host.steps().take(initializers.size());
      found.addAll(initializers);
    } catch (Refused _) {
      // Refused again, with its place, when the instruction is run.
    }
  }
}
