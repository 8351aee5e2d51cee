package sluice.verify;

import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/// Generates random methods `static int run(int, int, byte[])` full of loops that look bounded and
/// may not be: odd steps, limits at the ends of the range, counters that are changed elsewhere,
/// tests in one branch, handlers that lead back and cover themselves, counters of type `long`,
/// switches whose cases lead back, steps as long as an array, and arrays that change their length.
/// An instance belongs to the test's thread.
@SuppressWarnings("NullAway") // a null fails the test
final class RandomProgram {
  private static final ClassDesc NAME = ClassDesc.of("sluice.verify.Generated");
  private static final ClassDesc EXCEPTION = ClassDesc.of("java.lang.RuntimeException");
  private static final int FIRST = 3; // variables 3 to 6 are ints, 0 and 1 too; 2 is the array
  private static final int LAST = 6;
  private static final int FIRST_LONG = 7; // 7 and 9, two slots each
  private static final int OTHER_ARRAY = 11;
  private static final long[] LONGS = {
    0, 1, 2, 3, 7, 40, -1, -5, 1L << 31, Integer.MIN_VALUE, Long.MAX_VALUE, Long.MIN_VALUE
  };
  private static final int[] CONSTANTS = {
    0, 1, 2, 3, 5, 10, 17, -1, -3, 100, Integer.MAX_VALUE, Integer.MIN_VALUE, 0x7FFFFFF0
  };
  private static final Opcode[] TESTS = {
    Opcode.IF_ICMPLT,
    Opcode.IF_ICMPGE,
    Opcode.IF_ICMPGT,
    Opcode.IF_ICMPLE,
    Opcode.IF_ICMPNE,
    Opcode.IF_ICMPEQ
  };

  private static final Opcode[] OF_ZERO = {
    Opcode.IFLT, Opcode.IFGE, Opcode.IFGT, Opcode.IFLE, Opcode.IFNE, Opcode.IFEQ
  };

  private final RandomGenerator random;
  private int left = 16; // statements

  private RandomProgram(RandomGenerator random) {
    this.random = random;
  }

  static byte[] of(RandomGenerator random) {
    RandomProgram program = new RandomProgram(random);
    return ClassFile.of()
        .build(
            NAME,
            type ->
                type.withMethodBody(
                    "run",
                    MethodTypeDesc.of(
                        ConstantDescs.CD_int,
                        ConstantDescs.CD_int,
                        ConstantDescs.CD_int,
                        ConstantDescs.CD_byte.arrayType()),
                    ClassFile.ACC_PUBLIC | ClassFile.ACC_STATIC,
                    program::body));
  }

  private void body(CodeBuilder code) {
    for (int i = FIRST; i <= LAST; i++) {
      code.loadConstant(CONSTANTS[random.nextInt(9)]).istore(i);
    }
    code.loadConstant(LONGS[random.nextInt(6)]).lstore(FIRST_LONG);
    code.loadConstant(LONGS[random.nextInt(6)]).lstore(FIRST_LONG + 2);
    code.aload(2).astore(OTHER_ARRAY);
    statements(code, 2, null, null);
    code.iload(FIRST).ireturn();
  }

  private void statements(CodeBuilder code, int depth, Label head, Label exit) {
    int count = 1 + random.nextInt(4);
    for (int i = 0; i < count && left > 0; i++) {
      left--;
      statement(code, depth, head, exit);
    }
  }

  private void statement(CodeBuilder code, int depth, Label head, Label exit) {
    switch (random.nextInt(depth > 0 ? 19 : 14)) {
      case 0, 1 -> code.iinc(variable(), random.nextInt(8) == 0 ? -1 : random.nextInt(4));
      case 2 -> operation(code);
      case 3 -> code.aload(array()).iload(any()).baload().istore(variable());
      case 4 -> {
        if (exit != null) {
          compare(code, random.nextInt(4) == 0 ? head : exit);
        }
      }
      case 5 -> {
        Label end = code.newLabel();
        compare(code, end);
        statements(code, 0, head, exit);
        code.labelBinding(end);
      }
      case 6 -> code.aload(array()).arraylength().istore(variable());
      case 7 -> guarded(code, head, exit);
      case 8 -> longOperation(code);
      case 9 -> {
        if (exit != null) {
          compareLong(code, random.nextInt(4) == 0 ? head : exit);
        }
      }
      case 10 -> selfGuarded(code);
      case 11 -> shuffle(code);
      case 12 -> code.iinc(variable(), random.nextInt(Short.MIN_VALUE, Short.MAX_VALUE + 1));
      case 13 -> choice(code, head, exit);
      case 14 -> longLoop(code, depth);
      default -> loop(code, depth);
    }
  }

  private int array() {
    return random.nextInt(3) == 0 ? OTHER_ARRAY : 2;
  }

  private int longVariable() {
    return FIRST_LONG + 2 * random.nextInt(2);
  }

  private void longLimit(CodeBuilder code) {
    switch (random.nextInt(4)) {
      case 0 -> code.lload(longVariable());
      case 1 -> code.iload(any()).i2l();
      case 2 -> code.aload(array()).arraylength().i2l();
      default -> code.loadConstant(LONGS[random.nextInt(LONGS.length)]);
    }
  }

  private void compareLong(CodeBuilder code, Label to) {
    code.lload(longVariable());
    longLimit(code);
    code.lcmp().branch(OF_ZERO[random.nextInt(OF_ZERO.length)], to);
  }

  private void longOperation(CodeBuilder code) {
    code.lload(longVariable());
    int shift = random.nextInt(12);
    if (shift < 3) {
      code.loadConstant(random.nextInt(-1, 66));
    } else {
      longLimit(code);
    }
    switch (shift) {
      case 0 -> code.lshl();
      case 1 -> code.lshr();
      case 2 -> code.lushr();
      case 3, 4 -> code.lsub();
      case 5 -> code.lmul();
      case 6 -> code.land();
      case 7 -> code.lor();
      case 8 -> code.ldiv();
      case 9 -> code.lrem();
      default -> code.ladd();
    }
    if (random.nextInt(4) == 0) {
      code.l2i().istore(variable());
    } else {
      code.lstore(longVariable());
    }
  }

  private void longLoop(CodeBuilder code, int depth) {
    Label head = code.newLabel();
    Label exit = code.newLabel();
    int counter = longVariable();
    code.labelBinding(head);
    boolean isInFront = random.nextBoolean();
    if (isInFront) {
      code.lload(counter);
      longLimit(code);
      code.lcmp().branch(OF_ZERO[random.nextInt(OF_ZERO.length)], exit);
    }
    statements(code, depth - 1, head, exit);
    code.lload(counter);
    switch (random.nextInt(6)) {
      case 0 -> code.loadConstant(1 + random.nextInt(3)).lushr();
      case 1 -> code.loadConstant(2L + random.nextInt(9)).ldiv();
      case 2 -> code.iload(any()).i2l().ladd();
      case 3 -> code.lconst_1().lsub();
      default -> code.loadConstant(1L + random.nextInt(3)).ladd();
    }
    code.lstore(counter);
    if (isInFront) {
      code.goto_(head);
    } else {
      code.lload(counter);
      longLimit(code);
      code.lcmp().branch(OF_ZERO[random.nextInt(OF_ZERO.length)], head);
    }
    code.labelBinding(exit);
  }

  /// Writes a handler inside of the range it covers, so that an exception in it leads to it again.
  private void selfGuarded(CodeBuilder code) {
    Label from = code.newBoundLabel();
    Label past = code.newLabel();
    code.aload(array()).iload(any()).baload().istore(variable()).goto_(past);
    Label handler = code.newBoundLabel();
    code.pop();
    if (random.nextBoolean()) {
      code.iinc(variable(), random.nextInt(-1, 3));
    }
    code.aload(array()).iload(any()).baload().istore(variable());
    Label end = code.newBoundLabel();
    code.labelBinding(past);
    code.exceptionCatch(from, end, handler, EXCEPTION);
  }

  /// Writes copies and swaps, so that two variables hold the same value, and an array of another
  /// length.
  private void shuffle(CodeBuilder code) {
    int a = variable();
    switch (random.nextInt(5)) {
      case 0 -> code.iload(a).dup().istore(variable()).iload(any()).iadd().istore(a);
      case 1 -> code.iload(a).iload(any()).swap().istore(variable()).istore(a);
      case 2 -> code.iload(a).aload(array()).arraylength().iadd().istore(a);
      case 3 ->
          code.iload(a)
              .loadConstant(random.nextInt(20))
              .invokestatic(
                  ClassDesc.of("java.lang.Math"), "min", MethodTypeDesc.ofDescriptor("(II)I"))
              .iconst_0()
              .invokestatic(
                  ClassDesc.of("java.lang.Math"), "max", MethodTypeDesc.ofDescriptor("(II)I"))
              .newarray(TypeKind.BYTE)
              .astore(OTHER_ARRAY);
      default -> code.aload(2).astore(OTHER_ARRAY);
    }
  }

  /// Writes a switch at the ends of the range whose cases lead forward, out of the loop or back.
  private void choice(CodeBuilder code, Label head, Label exit) {
    Label next = code.newLabel();
    List<SwitchCase> cases = new ArrayList<>();
    int first = random.nextBoolean() ? random.nextInt(4) : Integer.MAX_VALUE - 3;
    for (int i = 0; i < 3; i++) {
      Label to = random.nextInt(3) == 0 && head != null ? head : next;
      cases.add(SwitchCase.of(first + i, random.nextInt(3) == 0 && exit != null ? exit : to));
    }
    code.iload(any());
    if (random.nextBoolean()) {
      code.tableswitch(first, first + 2, next, cases);
    } else {
      code.lookupswitch(next, cases);
    }
    code.labelBinding(next);
  }

  /// Writes a loop with its test at the start, at the end or in the middle.
  private void loop(CodeBuilder code, int depth) {
    Label head = code.newLabel();
    Label exit = code.newLabel();
    int counter = variable();
    if (random.nextBoolean()) {
      code.loadConstant(CONSTANTS[random.nextInt(6)]).istore(counter);
    }
    code.labelBinding(head);
    int form = random.nextInt(6);
    if (form < 4) {
      code.iload(counter);
      limit(code);
      code.branch(form == 0 ? TESTS[random.nextInt(TESTS.length)] : Opcode.IF_ICMPGE, exit);
    }
    statements(code, depth - 1, head, exit);
    if (random.nextInt(5) > 0) {
      step(code, counter);
    }
    if (form == 4) {
      code.iload(counter);
      limit(code);
      code.branch(TESTS[random.nextInt(TESTS.length)], head);
    } else {
      code.goto_(head);
    }
    code.labelBinding(exit);
  }

  private void step(CodeBuilder code, int counter) {
    switch (random.nextInt(6)) {
      case 0 -> code.iload(counter).loadConstant(1 + random.nextInt(3)).iushr().istore(counter);
      case 1 -> code.iload(counter).loadConstant(2 + random.nextInt(9)).idiv().istore(counter);
      case 2 -> code.iload(counter).loadConstant(1).ishl().istore(counter);
      default -> code.iinc(counter, 1 + random.nextInt(3));
    }
  }

  private void limit(CodeBuilder code) {
    switch (random.nextInt(5)) {
      case 0 -> code.iload(any());
      case 1 -> code.aload(array()).arraylength();
      case 2 ->
          code.iload(any())
              .loadConstant(20)
              .invokestatic(
                  ClassDesc.of("java.lang.Math"), "min", MethodTypeDesc.ofDescriptor("(II)I"));
      default -> code.loadConstant(CONSTANTS[random.nextInt(CONSTANTS.length)]);
    }
  }

  private void compare(CodeBuilder code, Label to) {
    code.iload(any());
    limit(code);
    code.branch(TESTS[random.nextInt(TESTS.length)], to);
  }

  private void operation(CodeBuilder code) {
    code.iload(any());
    limit(code);
    switch (random.nextInt(7)) {
      case 0 -> code.iadd();
      case 1 -> code.isub();
      case 2 -> code.imul();
      case 3 -> code.iand();
      case 4 -> code.ishr();
      case 5 -> code.iushr();
      default -> code.ixor();
    }
    if (random.nextInt(4) == 0) {
      code.conversion(TypeKind.INT, TypeKind.BYTE);
    }
    code.istore(variable());
  }

  /// Writes an array access with a handler that continues, leads back or leaves the loop.
  private void guarded(CodeBuilder code, Label head, Label exit) {
    int index = any();
    Label where = head == null || random.nextBoolean() ? exit : head;
    code.trying(
        block -> block.aload(2).iload(index).baload().istore(variable()).iinc(variable(), 1),
        catching ->
            catching.catching(
                EXCEPTION,
                block -> {
                  block.pop();
                  if (where != null) {
                    block.goto_(where);
                  }
                }));
  }

  private int variable() {
    return random.nextInt(FIRST, LAST + 1);
  }

  private int any() {
    int pick = random.nextInt(6);
    return pick < 2 ? pick : pick + 1;
  }
}
