package sluice.verify;

import java.lang.classfile.Instruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// Collects the methods of the component that may be executed by a method. These are the methods
/// that it calls and the methods that are executed implicitly by its other instructions (see
/// [Gate]).
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
      if (instruction instanceof InvokeInstruction call) {
        callees.call(call);
      }
      List<MethodInfo> beside = host.gate().of(caller.owner(), instruction).methods();
      host.steps().take(beside.size());
      callees.found.addAll(beside);
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
    }
  }
}
