package sluice.domain.translate;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Instruction;
import java.lang.classfile.Label;
import java.lang.classfile.Opcode;
import java.lang.classfile.constantpool.LoadableConstantEntry;
import java.lang.classfile.constantpool.MethodHandleEntry;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.ExceptionCatch;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LabelTarget;
import java.lang.classfile.instruction.LineNumber;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.DynamicCallSiteDesc;
import java.lang.constant.MethodHandleDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Inserts gates and redirects into one method. Confined to one thread.
///
/// A gate is a call of a static method without parameters or result. It does not change the locals
/// and the stack, so the stack map frames of the method remain valid, and types do not have to be
/// computed again.
final class Weaver implements CodeTransform {
  private static final ClassDesc GATE = ClassDesc.ofInternalName(Relocation.GATE);

  private final String where;
  private final Redirects redirects;
  private final Ancestry ancestry;
  private final boolean computesValue;
  private final int padding;
  private final Handlers handlers;

  /// The end of the gate of each handler.
  private final Map<Label, Label> afterGate = new HashMap<>();

  private final Set<Label> seen = new HashSet<>();

  /// The number of sockets and pools of each class that have been created but whose constructor has
  /// not been called yet.
  private final Map<String, Integer> made = new HashMap<>();

  /// True if the previous instruction created a socket or pool.
  private boolean isNew;

  /// An entry for each `new Thread` whose constructor has not been called yet, innermost first. It
  /// is true if the next instruction duplicated the reference, as is the case if the object is
  /// used.
  private final Deque<Boolean> threads = new ArrayDeque<>();

  /// True if the previous instruction created a thread.
  private boolean isNewThread;

  private int line;

  /// @param where the class and method, for error messages
  /// @param computesValue true for the `computeValue` of a `ClassValue`
  /// @param padding the number of `nop` instructions to insert at the beginning
  Weaver(
      String where,
      CodeModel code,
      Redirects redirects,
      Ancestry ancestry,
      boolean computesValue,
      int padding) {
    this.where = where;
    this.redirects = redirects;
    this.ancestry = ancestry;
    this.computesValue = computesValue;
    this.padding = padding;
    handlers = new Handlers(code);
  }

  @Override
  public void atStart(CodeBuilder builder) {
    OnStackReplacement.pad(builder, padding);
    gate(builder);
    if (computesValue) {
      builder.aload(0).aload(1);
      builder.invokestatic(Redirects.SUBSTITUTES, "computing", Redirects.COMPUTING);
    }
  }

  private static void gate(CodeBuilder builder) {
    builder.invokestatic(GATE, "pass", ConstantDescs.MTD_void);
  }

  @Override
  public void accept(CodeBuilder builder, CodeElement element) {
    if (Handlers.goesBack(element, seen)) {
      gate(builder);
    }
    if (element instanceof Instruction instruction) {
      if (isNew && instruction.opcode() != Opcode.DUP) {
        throw new Refused(
            where + ": a socket or pool is made and not kept",
            "it cannot be counted or ended",
            "compile the class with javac");
      }
      isNew = false;
      if (isNewThread) {
        threads.push(instruction.opcode() == Opcode.DUP);
      }
      isNewThread = false;
    }
    switch (element) {
      case NewObjectInstruction created -> {
        builder.with(element);
        String type = created.className().asInternalName();
        if (Openers.has(type, ConstantDescs.INIT_NAME) || Redirects.isPool(type)) {
          made.merge(type, 1, Integer::sum);
          isNew = true;
        }
        isNewThread = type.equals(Redirects.THREAD);
      }
      case LabelTarget target -> {
        seen.add(target.label());
        builder.with(element);
        if (handlers.hasGate(target.label())) {
          gate(builder);
          builder.labelBinding(afterGate(builder, target.label()));
        }
      }
      case ExceptionCatch entry -> cover(builder, entry);
      case LineNumber number -> {
        line = number.line();
        builder.with(number);
      }
      case InvokeInstruction call -> {
        String owner = call.owner().asInternalName();
        if (ancestry.takesPattern(owner, call.type().stringValue())) {
          RefusedCalls.put(builder, ofPattern(owner, call.name().stringValue()));
        }
        call(builder, call);
      }
      case FieldInstruction field when field.opcode() == Opcode.GETSTATIC -> {
        Redirects.Substitute substitute =
            redirects.find(
                field.owner().asInternalName(),
                field.name().stringValue(),
                field.type().stringValue());
        if (substitute == null) {
          builder.with(field);
        } else {
          builder.invokestatic(substitute.owner(), substitute.name(), substitute.type());
        }
      }
      case InvokeDynamicInstruction call -> reference(builder, call);
      case ConstantInstruction.LoadConstantInstruction load -> reference(builder, load);
      default -> builder.with(element);
    }
  }

  /// Weaves a method reference. A reference that cannot be redirected is replaced by a throw.
  private void reference(CodeBuilder builder, Instruction made) {
    try {
      if (made instanceof InvokeDynamicInstruction call) {
        dynamic(builder, call);
        return;
      }
      if (made instanceof ConstantInstruction.LoadConstantInstruction load) {
        constant(load.constantEntry());
      }
    } catch (Refused e) {
      RefusedCalls.put(builder, e);
    }
    builder.with(made);
  }

  private String where(String owner, String name) {
    return where + ", line " + line + ": " + owner.replace('/', '.') + "." + name;
  }

  /// Returns the refusal of a call that passes a pattern of the domain to the JDK, because the JDK
  /// only knows its own pattern class.
  private Refused ofPattern(String owner, String name) {
    return new Refused(
        where(owner, name),
        "the JDK takes only patterns of its own, and those of a domain can be ended",
        "use the method that takes the pattern as text, or match before the call");
  }

  private Label afterGate(CodeBuilder builder, Label handler) {
    return afterGate.computeIfAbsent(handler, _ -> builder.newLabel());
  }

  /// Writes an entry of the exception table, split into parts around the gates that it must not
  /// cover.
  private void cover(CodeBuilder builder, ExceptionCatch entry) {
    if (handlers.isLeftOut(entry)) {
      return;
    }
    List<Label> uncovered = handlers.uncovered(entry);
    if (uncovered.isEmpty()) {
      builder.with(entry);
      return;
    }
    Label from = entry.tryStart();
    for (Label gate : uncovered) {
      if (!from.equals(gate)) {
        builder.with(ExceptionCatch.of(entry.handler(), from, gate, entry.catchType()));
      }
      from = afterGate(builder, gate);
    }
    builder.with(ExceptionCatch.of(entry.handler(), from, entry.tryEnd(), entry.catchType()));
  }

  private void call(CodeBuilder builder, InvokeInstruction call) {
    String name = call.name().stringValue();
    MethodTypeDesc type = call.typeSymbol();
    String descriptor = type.descriptorString();
    String owner = call.owner().asInternalName();
    if (Redirects.isThreadStart(name, descriptor) && ancestry.isThread(owner)) {
      builder.dup().invokestatic(Redirects.SUBSTITUTES, "starting", Redirects.STARTING);
    }
    if (owner.equals(Redirects.THREAD) && name.equals(ConstantDescs.INIT_NAME)) {
      thread(builder, call);
      return;
    }
    Redirects.Substitute substitute = substitute(owner, name, descriptor);
    // A call of a superclass's method cannot be replaced by a static call, which would select the
    // method by class again.
    if (substitute != null && call.opcode() != Opcode.INVOKESPECIAL) {
      builder.invokestatic(substitute.owner(), substitute.name(), substitute.type());
      castResult(builder, type, substitute);
    } else if (opens(owner, name, descriptor)) {
      builder.invokestatic(Redirects.SUBSTITUTES, "opening", ConstantDescs.MTD_void);
      builder.with(call);
      made(builder, owner, name, "opened", Openers.OPENED);
    } else {
      threads(builder, call, owner, name, type);
    }
  }

  /// Redirects a constructor of `Thread`. A call in a subclass's constructor is not changed. For a
  /// new object, the substitute's result replaces the two references to the object, which is never
  /// constructed.
  private void thread(CodeBuilder builder, InvokeInstruction call) {
    Boolean isCopied = threads.poll();
    Redirects.Substitute substitute =
        substitute(Redirects.THREAD, ConstantDescs.INIT_NAME, call.typeSymbol().descriptorString());
    if (isCopied == null || !isCopied || substitute == null) {
      builder.with(call);
      return;
    }
    builder.invokestatic(substitute.owner(), substitute.name(), substitute.type());
    builder.dup_x2().pop().pop2();
  }

  /// Weaves a call that may require threads. This adds the domain's threads, and records each pool
  /// that is created.
  private void threads(
      CodeBuilder builder, InvokeInstruction call, String owner, String name, MethodTypeDesc type) {
    if (call.opcode() != Opcode.INVOKESPECIAL && makesClient(owner, name, type)) {
      if (call.opcode() == Opcode.INVOKESTATIC) {
        builder.aconst_null();
      }
      builder.invokestatic(Redirects.SUBSTITUTES, "client", Redirects.OF_OBJECT);
      builder.checkcast(type.returnType());
      return;
    }
    String adding = adding(owner, name, type);
    ClassDesc added = adding == null ? null : redirects.added(adding, name, type);
    boolean isGiven = added == null && givesFactory(owner, name, type);
    if (adding != null && added != null) {
      builder.invokestatic(Redirects.SUBSTITUTES, Redirects.giver(added), MethodTypeDesc.of(added));
      int place = Redirects.place(adding, name, type);
      if (place < type.parameterCount()) {
        builder.swap();
      }
      builder.invoke(
          call.opcode(),
          call.owner().asSymbol(),
          name,
          type.insertParameterTypes(place, added),
          call.isInterface());
    } else {
      if (isGiven) {
        counted(builder, Redirects.isBeforeHandler(type));
      }
      builder.with(call);
    }
    boolean isPool = name.equals(ConstantDescs.INIT_NAME) && Redirects.isPool(owner);
    boolean makesPool =
        call.opcode() == Opcode.INVOKESTATIC && (isGiven || Redirects.FACTORY.equals(added));
    if (isPool || makesPool || makesService(owner, name, type)) {
      made(builder, owner, name, "made", Redirects.MADE);
    } else if (relays(owner, name, type)) {
      builder.invokestatic(Redirects.SUBSTITUTES, "relayed", Redirects.RELAYED);
    }
  }

  private boolean makesService(String owner, String name, MethodTypeDesc type) {
    return Services.isCandidate(name)
        && ancestry.ofJdk(owner).stream().anyMatch(each -> Services.has(each, name))
        && !ancestry.declares(owner, name, type.descriptorString());
  }

  private boolean makesClient(String owner, String name, MethodTypeDesc type) {
    return type.descriptorString().equals(Services.MAKES_CLIENT) && makesService(owner, name, type);
  }

  private boolean relays(String owner, String name, MethodTypeDesc type) {
    return Services.SEND.equals(name)
        && ancestry.ofJdk(owner).contains(Services.CLIENT)
        && type.returnType().equals(Redirects.RELAYED.returnType());
  }

  private static void counted(CodeBuilder builder, boolean isBelowTop) {
    if (isBelowTop) {
      builder.swap();
    }
    builder.invokestatic(Redirects.SUBSTITUTES, "counted", Redirects.COUNTED);
    if (isBelowTop) {
      builder.swap();
    }
  }

  /// Passes the result of a call to the domain. A constructor leaves it on the stack if it was
  /// called for a `new` instruction; in the constructor of a subclass the result is `this`.
  private void made(
      CodeBuilder builder, String owner, String name, String teller, MethodTypeDesc type) {
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
    builder.invokestatic(Redirects.SUBSTITUTES, teller, type);
  }

  private Redirects.@Nullable Substitute substitute(String owner, String name, String descriptor) {
    if (!redirects.isCandidate(name, descriptor)) {
      return null;
    }
    if (name.equals(ConstantDescs.INIT_NAME)) {
      return redirects.find(owner, name, descriptor);
    }
    for (String each : ancestry.ofJdk(owner)) {
      Redirects.Substitute found = redirects.find(each, name, descriptor);
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  /// Returns true if a call opens a socket, which is the case if its owner or an ancestor of the
  /// owner does.
  private boolean opens(String owner, String name, String descriptor) {
    if (Openers.has(owner, name)) {
      return true;
    }
    return Openers.isCandidate(name)
        && !name.equals(ConstantDescs.INIT_NAME)
        && ancestry.ofJdk(owner).stream().anyMatch(each -> Openers.has(each, name))
        && !ancestry.declares(owner, name, descriptor);
  }

  /// Returns the JDK class, among an owner and its ancestors, to whose call an argument is added,
  /// or null if there is none.
  private @Nullable String adding(String owner, String name, MethodTypeDesc type) {
    if (redirects.added(owner, name, type) != null) {
      return owner;
    }
    if (name.equals(ConstantDescs.INIT_NAME) || !Redirects.mayAdd(name)) {
      return null;
    }
    for (String each : ancestry.ofJdk(owner)) {
      if (redirects.added(each, name, type) != null
          && !ancestry.declares(owner, name, type.descriptorString())) {
        return each;
      }
    }
    return null;
  }

  private boolean givesFactory(String owner, String name, MethodTypeDesc type) {
    int count = type.parameterCount();
    if (count == 0 || Redirects.givesFactory(owner, type)) {
      return count > 0;
    }
    return !name.equals(ConstantDescs.INIT_NAME)
        && (type.parameterType(count - 1).equals(Redirects.FACTORY)
            || Redirects.isBeforeHandler(type))
        && ancestry.ofJdk(owner).stream().anyMatch(each -> Redirects.givesFactory(each, type))
        && !ancestry.declares(owner, name, type.descriptorString());
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
      } else {
        constant(call.invokedynamic().bootstrap().arguments().get(i));
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

  /// Checks a constant of the class, because a method handle in it cannot be redirected.
  private void constant(LoadableConstantEntry entry) {
    for (MethodHandleEntry handle : Handles.of(entry)) {
      DirectMethodHandleDesc symbol = handle.asSymbol();
      if (reference(symbol) != symbol) {
        throw new Refused(
            where(internalName(symbol.owner()), symbol.methodName()),
            "a call becomes the domain's, a method handle in a constant does not",
            "write a call or a method reference");
      }
    }
  }

  /// Returns the replacement of a method reference, or the reference itself if it is not
  /// redirected.
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
    if (ancestry.takesPattern(owner, descriptor)) {
      throw ofPattern(owner, name);
    }
    if (opens(owner, name, descriptor)) {
      throw new Refused(
          where(owner, name),
          "a socket that a call opens is counted, one that a method reference opens is not",
          "write a lambda that calls it");
    }
    MethodTypeDesc type = MethodTypeDesc.ofDescriptor(descriptor);
    boolean isPool = name.equals(ConstantDescs.INIT_NAME) && Redirects.isPool(owner);
    if (isPool
        || adding(owner, name, type) != null
        || givesFactory(owner, name, type)
        || makesService(owner, name, type)) {
      throw new Refused(
          where(owner, name),
          "a call gets the domain's threads, a method reference does not",
          "write a lambda that calls it");
    }
    Redirects.Substitute substitute = substitute(owner, name, descriptor);
    if (substitute == null
        && Redirects.isThreadStart(name, descriptor)
        && ancestry.isThread(owner)) {
      substitute = new Redirects.Substitute(Redirects.SUBSTITUTES, "start", Redirects.STARTING);
    }
    return substitute == null
        ? handle
        : MethodHandleDesc.ofMethod(
            DirectMethodHandleDesc.Kind.STATIC,
            substitute.owner(),
            substitute.name(),
            substitute.type());
  }

  private static String internalName(ClassDesc type) {
    String text = type.descriptorString();
    return type.isClassOrInterface() ? text.substring(1, text.length() - 1) : text;
  }
}
