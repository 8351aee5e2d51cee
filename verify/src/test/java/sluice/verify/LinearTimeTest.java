package sluice.verify;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// Checks the promise of linear time by counting steps: for every shape of method, the number of
/// steps stays below a constant times the size of its class file.
final class LinearTimeTest {
  private static final MethodTypeDesc TYPE =
      MethodTypeDesc.of(ConstantDescs.CD_int, ConstantDescs.CD_int);

  /// Verifies a method of the shape at several sizes, each twice the one before, and checks the
  /// number of steps at each size.
  private static void hold(String shape, BiConsumer<CodeBuilder, Integer> body) {
    for (int size : IntStream.iterate(50, n -> n <= 1600, n -> n * 2).toArray()) {
      byte[] bytes =
          ClassFile.of()
              .build(
                  ClassDesc.of("Shape"),
                  c ->
                      c.withMethodBody(
                          "m",
                          TYPE,
                          ClassFile.ACC_STATIC | ClassFile.ACC_PUBLIC,
                          code -> body.accept(code, size)));
      Component component = new Component();
      component.add(shape, bytes);
      Verification found = Verifier.verify(component, CostTable.standard(), Limits.DEFAULT);
      long granted = 2L * (Steps.BASE + (long) Steps.PER_BYTE * bytes.length);
      assertThat(found.steps()).as("%s of %d", shape, size).isLessThanOrEqualTo(granted + 10_000);
      Refusal refusal = found.verdicts().getFirst().refusal();
      assertThat(refusal == null ? null : refusal.reason()).isNotEqualTo(Reason.MALFORMED);
    }
  }

  @Test
  void deeplyNestedLoops() {
    hold("nested loops", (code, size) -> nested(code, Math.min(size, 300)));
  }

  private static void nested(CodeBuilder code, int depth) {
    Label[] heads = new Label[depth];
    for (int i = 0; i < depth; i++) {
      heads[i] = code.newBoundLabel();
      code.iinc(0, 1);
    }
    for (int i = depth - 1; i >= 0; i--) {
      code.iload(0).ifne(heads[i]);
    }
    code.iload(0).ireturn();
  }

  @Test
  void manyVariablesAndBlocks() {
    hold(
        "variables",
        (code, size) -> {
          for (int i = 0; i < size; i++) {
            Label next = code.newLabel();
            code.iload(0).istore(i + 1).iload(0).ifeq(next).labelBinding(next);
          }
          code.iload(0).ireturn();
        });
  }

  @Test
  void oneVariableFarAway() {
    hold("far variable", (code, size) -> code.iload(0).istore(60_000).iload(60_000).ireturn());
  }

  @Test
  void manyHandlersOverEverything() {
    hold(
        "handlers",
        (code, size) -> {
          Label start = code.newBoundLabel();
          for (int i = 0; i < size; i++) {
            code.iload(0).iload(0).idiv().istore(0);
          }
          Label end = code.newBoundLabel();
          code.iload(0).ireturn();
          for (int i = 0; i < Math.min(size, 400); i++) {
            Label handler = code.newBoundLabel();
            code.pop().iload(0).ireturn();
            code.exceptionCatch(start, end, handler, ClassDesc.of("java.lang.Exception"));
          }
        });
  }

  @Test
  void aDeepStackAtManyBranches() {
    hold(
        "stack",
        (code, size) -> {
          for (int i = 0; i < size; i++) {
            code.iload(0);
          }
          for (int i = 0; i < size; i++) {
            Label next = code.newLabel();
            code.iload(0).ifeq(next).labelBinding(next);
          }
          for (int i = 0; i < size; i++) {
            code.pop();
          }
          code.iload(0).ireturn();
        });
  }
}
