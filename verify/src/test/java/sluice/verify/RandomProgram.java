package sluice.verify;

import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.random.RandomGenerator;

/// Random methods `static int run(int, int, byte[])` full of loops that look bounded and may not
/// be: odd steps, limits at the ends of the range, counters that are changed elsewhere, tests in
/// one branch, handlers that lead back. Of the test's thread.
@SuppressWarnings("NullAway") // a null fails the test
final class RandomProgram {
  private static final ClassDesc NAME = ClassDesc.of("sluice.verify.Generated");
  private static final ClassDesc EXCEPTION = ClassDesc.of("java.lang.RuntimeException");
  private static final int FIRST = 3; // variables 3 to 6 are ints, 0 and 1 too; 2 is the array
  private static final int LAST = 6;
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

  private final RandomGenerator random;
  private int left = 14; // statements

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
    switch (random.nextInt(depth > 0 ? 12 : 8)) {
      case 0, 1 -> code.iinc(variable(), random.nextInt(8) == 0 ? -1 : random.nextInt(4));
      case 2 -> operation(code);
      case 3 -> code.aload(2).iload(any()).baload().istore(variable());
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
      case 6 -> code.aload(2).arraylength().istore(variable());
      case 7 -> guarded(code, head, exit);
      default -> loop(code, depth);
    }
  }

  /// A loop with its test in front, behind, or somewhere within.
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
      case 1 -> code.aload(2).arraylength();
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

  /// An access in a handler that goes on, back or out.
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
