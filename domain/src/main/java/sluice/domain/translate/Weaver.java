package sluice.domain.translate;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Instruction;
import java.lang.classfile.Label;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LabelTarget;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.DynamicCallSiteDesc;
import java.lang.constant.MethodHandleDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/// Puts gates and redirects into one method. Of one thread.
///
/// A gate is one call of a static method without parameters and result. It leaves locals and stack
/// alone, so the frames of the method stay right and nothing about types has to be computed again.
final class Weaver implements CodeTransform {
  private final String where;
  private final Redirects redirects;
  private final Predicate<String> isOfThreads;
  private final UnaryOperator<String> jdkOwner;
  private final boolean computesValue;
  private final Set<Label> handlers;
  private final Set<Label> seen = new HashSet<>();

  /// How many sockets of a class have been made and not yet constructed.
  private final Map<String, Integer> made = new HashMap<>();

  /// A socket was made by the instruction before this.
  private boolean isNew;

  /// @param where class and method, for messages
  /// @param isOfThreads whether a class is `Thread` or one below it
  /// @param jdkOwner the first class of the JDK at or above a class
  /// @param computesValue whether it is the `computeValue` of a `ClassValue`
  Weaver(
      String where,
      CodeModel code,
      Redirects redirects,
      Predicate<String> isOfThreads,
      UnaryOperator<String> jdkOwner,
      boolean computesValue) {
    this.where = where;
    this.redirects = redirects;
    this.isOfThreads = isOfThreads;
    this.jdkOwner = jdkOwner;
    this.computesValue = computesValue;
    handlers = Handlers.withGate(code);
  }

  @Override
  public void atStart(CodeBuilder builder) {
    gate(builder);
    if (computesValue) {
      builder.aload(0).aload(1);
      builder.invokestatic(Redirects.SUBSTITUTES, "computing", Redirects.COMPUTING);
    }
  }

  private static void gate(CodeBuilder builder) {
    builder.invokestatic(Gate.NAME, Gate.METHOD, ConstantDescs.MTD_void);
  }

  @Override
  public void accept(CodeBuilder builder, CodeElement element) {
    if (Handlers.goesBack(element, seen)) {
      gate(builder);
    }
    if (element instanceof Instruction instruction) {
      if (isNew && instruction.opcode() != Opcode.DUP) {
        throw new Refused(
            where + ": a socket is made and not kept",
            "it cannot be counted",
            "compile the class with javac");
      }
      isNew = false;
    }
    switch (element) {
      case NewObjectInstruction created -> {
        builder.with(element);
        String type = created.className().asInternalName();
        if (Openers.has(type, ConstantDescs.INIT_NAME)) {
          made.merge(type, 1, Integer::sum);
          isNew = true;
        }
      }
      case LabelTarget target -> {
        seen.add(target.label());
        builder.with(element);
        if (handlers.contains(target.label())) {
          gate(builder);
        }
      }
      case InvokeInstruction call -> call(builder, call);
      case FieldInstruction field when field.opcode() == Opcode.GETSTATIC -> {
        Redirects.Substitute substitute =
            redirects.find(
                field.owner().asInternalName(),
                field.name().stringValue(),
                field.type().stringValue());
        if (substitute == null) {
          builder.with(field);
        } else {
          builder.invokestatic(Redirects.SUBSTITUTES, substitute.name(), substitute.type());
        }
      }
      case InvokeDynamicInstruction call -> dynamic(builder, call);
      default -> builder.with(element);
    }
  }

  private void call(CodeBuilder builder, InvokeInstruction call) {
    String name = call.name().stringValue();
    MethodTypeDesc type = call.typeSymbol();
    String descriptor = type.descriptorString();
    String owner = call.owner().asInternalName();
    if (redirects.isCandidate(name, descriptor)) {
      if (Redirects.isThreadStart(name, descriptor) && isOfThreads.test(owner)) {
        builder.dup().invokestatic(Redirects.SUBSTITUTES, "starting", Redirects.STARTING);
      }
      Redirects.Substitute substitute = redirects.find(jdkOwner.apply(owner), name, descriptor);
      // A call of a superclass's method cannot go to a static method: it would choose again.
      if (substitute != null && call.opcode() != Opcode.INVOKESPECIAL) {
        builder.invokestatic(Redirects.SUBSTITUTES, substitute.name(), substitute.type());
        castResult(builder, type, substitute);
        return;
      }
    }
    if (Openers.has(owner, name)) {
      open(builder, call, owner, name);
      return;
    }
    ClassDesc added = redirects.added(owner, name, type);
    if (added == null) {
      builder.with(call);
      return;
    }
    builder.invokestatic(Redirects.SUBSTITUTES, Redirects.giver(added), MethodTypeDesc.of(added));
    int place = Redirects.place(owner, name, type);
    if (place < type.parameterCount()) {
      builder.swap();
    }
    builder.invoke(
        call.opcode(),
        call.owner().asSymbol(),
        name,
        type.insertParameterTypes(place, added),
        call.isInterface());
    if (call.opcode() == Opcode.INVOKESTATIC && added.equals(Redirects.FACTORY)) {
      builder.dup().invokestatic(Redirects.SUBSTITUTES, "made", Redirects.MADE);
    }
  }

  /// A socket is counted before and after it is opened. Its constructor leaves it on the stack when
  /// it was called for a `new`; in the constructor of a class below it is `this`.
  private void open(CodeBuilder builder, InvokeInstruction call, String owner, String name) {
    builder.invokestatic(Redirects.SUBSTITUTES, "opening", ConstantDescs.MTD_void);
    builder.with(call);
    boolean isThis = false;
    if (name.equals(ConstantDescs.INIT_NAME)) {
      int count = made.getOrDefault(owner, 0);
      isThis = count == 0;
      made.put(owner, Math.max(count - 1, 0));
    }
    if (isThis) {
      builder.aload(0);
    } else {
      builder.dup();
    }
    builder.invokestatic(Redirects.SUBSTITUTES, "opened", Openers.OPENED);
  }

  private static void castResult(
      CodeBuilder builder, MethodTypeDesc type, Redirects.Substitute substitute) {
    if (!type.returnType().equals(substitute.type().returnType())) {
      builder.checkcast(type.returnType());
    }
  }

  private void dynamic(CodeBuilder builder, InvokeDynamicInstruction call) {
    boolean isChanged = false;
    ConstantDesc[] arguments = call.bootstrapArgs().toArray(ConstantDesc[]::new);
    for (int i = 0; i < arguments.length; i++) {
      if (arguments[i] instanceof DirectMethodHandleDesc handle) {
        ConstantDesc changed = reference(handle);
        isChanged |= changed != handle;
        arguments[i] = changed;
      }
    }
    if (isChanged) {
      builder.invokedynamic(
          DynamicCallSiteDesc.of(
              call.bootstrapMethod(), call.name().stringValue(), call.typeSymbol(), arguments));
    } else {
      builder.with(call);
    }
  }

  /// What a method reference becomes; itself if it is not redirected.
  private ConstantDesc reference(DirectMethodHandleDesc handle) {
    switch (handle.kind()) {
      case GETTER, SETTER, STATIC_GETTER, STATIC_SETTER -> {
        return handle; // of a field: the methods of a record have them
      }
      default -> {
        // of a method
      }
    }
    String name = handle.methodName();
    String descriptor = handle.lookupDescriptor();
    String owner = internalName(handle.owner());
    if (Openers.has(owner, name)) {
      throw new Refused(
          where + ": a reference to " + owner.replace('/', '.') + "." + name,
          "a socket that a call opens is counted, one that a method reference opens is not",
          "write a lambda that calls it");
    }
    if (redirects.added(owner, name, MethodTypeDesc.ofDescriptor(descriptor)) != null) {
      throw new Refused(
          where + ": a reference to " + owner.replace('/', '.') + "." + name,
          "a call gets the domain's threads, a method reference does not",
          "write a lambda that calls it");
    }
    if (!redirects.isCandidate(name, descriptor)) {
      return handle;
    }
    Redirects.Substitute substitute = redirects.find(jdkOwner.apply(owner), name, descriptor);
    if (substitute == null
        && Redirects.isThreadStart(name, descriptor)
        && isOfThreads.test(owner)) {
      substitute = new Redirects.Substitute("start", Redirects.STARTING);
    }
    return substitute == null
        ? handle
        : MethodHandleDesc.ofMethod(
            DirectMethodHandleDesc.Kind.STATIC,
            Redirects.SUBSTITUTES,
            substitute.name(),
            substitute.type());
  }

  private static String internalName(ClassDesc type) {
    String text = type.descriptorString();
    return type.isClassOrInterface() ? text.substring(1, text.length() - 1) : text;
  }
}
