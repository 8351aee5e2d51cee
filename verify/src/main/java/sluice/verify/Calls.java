package sluice.verify;

import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import org.jspecify.annotations.Nullable;
import sluice.verify.value.Kind;
import sluice.verify.value.Value;
import sluice.verify.value.Values;

/// Evaluates calls. The cost of a method of the component is taken from its summary, and the cost
/// of any other method is taken from the cost table. Instances are used for one analysis.
final class Calls {
  private final Host host;
  private final MethodInfo caller;
  private final Values values;
  private final Pass pass;
  private final Conditions conditions;

  Calls(Host host, MethodInfo caller, Values values, Pass pass) {
    this.host = host;
    this.caller = caller;
    this.values = values;
    this.pass = pass;
    this.conditions = new Conditions(values);
  }

  /// Evaluates a call by popping the arguments, charging the cost and pushing the result.
  void invoke(InvokeInstruction call, State state, int at, int block) throws Refused {
    MethodTypeDesc type = call.typeSymbol();
    boolean isStatic = call.opcode() == Opcode.INVOKESTATIC;
    Value[] arguments = Site.pop(state, type, !isStatic);
    Site site =
        new Site(
            at,
            block,
            call.owner().asInternalName(),
            call.name().stringValue(),
            call.type().stringValue(),
            arguments);
    Value result;
    try {
      result = result(call.opcode(), site, type, state);
    } catch (Refused e) {
      pass.refuse(e.at() >= 0 ? e : new Refused(e.reason(), at, e.why()));
      result = Site.result(type.returnType(), values);
    }
    if (result.kind() != Kind.NONE) {
      state.push(result);
    }
  }

  private Value result(Opcode opcode, Site site, MethodTypeDesc type, State state) throws Refused {
    if (site.owner().startsWith("[")) {
      return ofArray(site);
    }
    Targets targets = host.targets(caller.owner(), opcode, site.owner(), site.signature());
    if (targets == null) {
      return outside(site, site.owner(), type, state);
    }
    if (targets.refusal() != null) {
      throw new Refused(Reason.VIRTUAL_CALL, site.at(), site.shown() + ": " + targets.refusal());
    }
    String above = targets.outside();
    if (above != null) {
      return outside(site, above, type, state);
    }
    site.checkArguments(type.parameterList(), host.limits());
    return inside(site, targets, type);
  }

  private Value inside(Site site, Targets targets, MethodTypeDesc type) throws Refused {
    Bound cost = Bound.NONE;
    Value result = null;
    for (MethodInfo target : targets.methods()) {
      Summary summary = summary(target, site.at());
      cost = cost.or(summary.each());
      pass.call(target, summary);
      Value returned = summary.returned();
      if (returned != null) {
        result = result == null ? returned : values.join(result, returned);
      }
    }
    pass.charge(site.block(), cost);
    Value plain = Site.result(type.returnType(), values);
    return result == null || result.kind() != plain.kind() ? plain : narrower(plain, result);
  }

  /// Returns the result of a callee. If it is a number, its range is restricted to the declared
  /// type.
  private Value narrower(Value plain, Value returned) {
    return plain.isNumber() && !plain.contains(returned)
        ? plain
        : values.range(plain.kind(), returned.low(), returned.high());
  }

  private Summary summary(MethodInfo target, int at) throws Refused {
    Refusal refusal = target.refusal();
    if (refusal != null) {
      throw new Refused(
          Reason.REFUSED_CALLEE,
          at,
          target.shown() + ", line " + refusal.line() + ": " + refusal.why());
    }
    Summary summary = target.summary();
    if (summary == null) {
      throw new Refused(Reason.RECURSION, at, target.shown() + " leads back to this method");
    }
    return summary;
  }

  /// Evaluates a call on an array. The method `clone` is the only method of arrays that is not
  /// inherited from Object.
  private Value ofArray(Site site) throws Refused {
    if (!site.name().equals("clone")) {
      throw new Refused(Reason.UNKNOWN_CALL, site.at(), site.shown() + " on an array");
    }
    Value array = site.arguments()[0];
    long most = Math.min(array.high(), values.maxLength());
    pass.charge(site.block(), new Bound(20 + most, 24 + 8 * most));
    return values.range(Kind.REFERENCE, Math.min(array.low(), most), most);
  }

  private Value outside(Site site, String owner, MethodTypeDesc type, State state) throws Refused {
    Value precise = minimumOrMaximum(site);
    Cost cost = host.costs().find(owner, site.signature());
    if (cost == null || isOverridden(owner, site)) {
      throw refusal(owner, site);
    }
    String extended = cost.unless();
    if (extended != null && host.extendsOutside(extended)) {
      throw new Refused(
          Reason.VIRTUAL_CALL,
          site.at(),
          site.shown() + " calls methods of " + extended.replace('/', '.') + ", which is extended");
    }
    Value[] arguments = site.arguments();
    int most = values.maxLength();
    if (cost.kept() >= 0) {
      Escape.check(arguments[cost.kept()], "L", host.limits(), site.at());
    }
    pass.charge(
        site.block(), new Bound(cost.work().of(arguments, most), cost.bytes().of(arguments, most)));
    if (cost.index() >= 0) {
      long last = arguments[0].high() - 1; // a string may be longer than declared
      conditions.within(state, arguments[cost.index()], 0, last, false, 3);
    }
    return precise != null ? precise : outcome(cost, site, type.returnType());
  }

  private Value outcome(Cost cost, Site site, ClassDesc type) throws Refused {
    Value plain = Site.result(type, values);
    Cost.Sum high = cost.high();
    if (high != null && plain.isNumber()) {
      long most = high.of(site.arguments(), values.maxLength());
      return values.range(plain.kind(), cost.low(), Math.min(most, plain.high()));
    }
    Cost.Sum length = cost.length();
    if (length != null) {
      long most = length.of(site.arguments(), values.maxLength());
      if (type.isArray() && most > values.maxLength()) {
        throw new Refused(Reason.LENGTH, site.at(), site.shown() + " may make an array of " + most);
      }
      return values.range(Kind.REFERENCE, 0, most);
    }
    return plain.kind() == Kind.REFERENCE ? ofArguments(site, plain) : plain;
  }

  /// Returns a reference that may be one of the arguments and may therefore be longer than
  /// declared.
  private Value ofArguments(Site site, Value plain) {
    long most = plain.high();
    for (Value argument : site.arguments()) {
      most = argument.kind() == Kind.REFERENCE ? Math.max(most, argument.high()) : most;
    }
    return values.range(Kind.REFERENCE, 0, most);
  }

  private @Nullable Value minimumOrMaximum(Site site) {
    boolean isMath = site.owner().equals("java/lang/Math") && site.arguments().length == 2;
    if (!isMath || !site.arguments()[0].isNumber() || !site.arguments()[1].isNumber()) {
      return null;
    }
    Value a = site.arguments()[0];
    Value b = site.arguments()[1];
    return switch (site.name()) {
      case "min" ->
          values.range(a.kind(), Math.min(a.low(), b.low()), Math.min(a.high(), b.high()));
      case "max" ->
          values.range(a.kind(), Math.max(a.low(), b.low()), Math.max(a.high(), b.high()));
      default -> null;
    };
  }

  /// Returns true if a constructor of the JDK may call a method that is overridden by the
  /// component.
  private boolean isOverridden(String owner, Site site) {
    boolean isThrowable =
        owner.endsWith("Exception") || owner.endsWith("Error") || owner.endsWith("Throwable");
    return isThrowable && site.name().equals("<init>") && host.overridesFillInStackTrace();
  }

  private Refused refusal(String owner, Site site) {
    Reason reason = host.costs().refusal(owner, site.name());
    if (reason != null) {
      return new Refused(reason, site.at(), site.shown() + why(reason));
    }
    return new Refused(
        Reason.UNKNOWN_CALL,
        site.at(),
        site.shown() + site.descriptor() + " is not in the table of costs");
  }

  private static String why(Reason reason) {
    return switch (reason) {
      case BLOCKING -> " may wait";
      case REFLECTION -> " runs code that is not known before";
      case NATIVE -> " is native";
      default -> " has no bound";
    };
  }
}
