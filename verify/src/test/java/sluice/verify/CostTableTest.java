package sluice.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.invoke.MethodType;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import sluice.verify.value.Kind;
import sluice.verify.value.Value;
import sluice.verify.value.Values;

@SuppressWarnings("NullAway") // a null fails the test
final class CostTableTest {
  private final CostTable table = CostTable.standard();

  @Test
  void aLineIsRead() throws Refused {
    CostTable more =
        table.with(
            "more", "p/C.m ([BI)I work 5+2*length(1)+value(2) bytes 8 returns -1..length(1)");
    Cost cost = more.find("p/C", "m([BI)I");
    Values values = new Values(100);
    Value[] arguments = {
      values.promised(Kind.REFERENCE),
      values.range(Kind.REFERENCE, 0, 30),
      values.range(Kind.INT, -5, 7)
    };
    assertThat(cost.work().of(arguments, 100)).isEqualTo(5 + 60 + 7);
    assertThat(cost.low()).isEqualTo(-1);
    assertThat(more.knows("p/C")).isTrue();
    assertThat(table.find("p/C", "m([BI)I")).isNull();
  }

  @Test
  void brokenLinesAreRefusedWithFileAndLine() {
    Stream.of(
            "p/C.m ()V",
            "p/C.m ()V cost 3",
            "p/C.m ()V work x",
            "p/C.m ()V work length(1)",
            "static p/C.m ()V work length(0)",
            "p/C.m ()I work 1 returns 5",
            "p/C.m (V work 1",
            "p/C.m ()V bytes 3",
            "p/C.m ()V work 1 index 4")
        .forEach(line ->
            assertThatThrownBy(() -> table.with("my.txt", "# first\n" + line))
                .as(line)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("my.txt:2: "));
  }

  @Test
  void whatIsRefusedByNameHasItsReason() {
    assertThat(table.refusal("java/lang/Thread", "sleep")).isEqualTo(Reason.BLOCKING);
    assertThat(table.refusal("java/util/concurrent/locks/ReentrantLock", "lock"))
        .isEqualTo(Reason.BLOCKING);
    assertThat(table.refusal("java/lang/reflect/Method", "invoke")).isEqualTo(Reason.REFLECTION);
    assertThat(table.refusal("java/lang/String", "length")).isNull();
  }

  /// Looks up every method of the table in the JDK. An entry for a method that does not exist would
  /// otherwise go unnoticed.
  @Test
  void everyMethodOfTheJdkInTheTableExists() throws Exception {
    String text =
        new String(
            CostTable.class.getResourceAsStream("costs.txt").readAllBytes(),
            java.nio.charset.StandardCharsets.UTF_8);
    int checked = 0;
    for (String line : text.lines().filter(l -> l.contains(" work ")).toList()) {
      boolean isStatic = line.startsWith("static ");
      String[] words = line.replaceFirst("^static ", "").split("\\s+", -1);
      int dot = words[0].lastIndexOf('.');
      if (line.startsWith("#") || words[0].startsWith("sluice/")) {
        continue;
      }
      Class<?> type = Class.forName(words[0].substring(0, dot).replace('/', '.'));
      String name = words[0].substring(dot + 1);
      MethodType signature =
          MethodType.fromMethodDescriptorString(words[1], ClassLoader.getSystemClassLoader());
      if (name.equals("<init>")) {
        assertThat(type.getDeclaredConstructor(signature.parameterArray())).isNotNull();
      } else {
        var method = type.getDeclaredMethod(name, signature.parameterArray());
        int modifiers = method.getModifiers();
        assertThat(java.lang.reflect.Modifier.isStatic(modifiers)).as(line).isEqualTo(isStatic);
        boolean isFinal =
            isStatic || java.lang.reflect.Modifier.isFinal(modifiers | type.getModifiers());
        assertThat(isFinal).as("nothing can override it: " + line).isTrue();
        assertThat(method.getReturnType()).as(line).isEqualTo(signature.returnType());
      }
      checked++;
    }
    assertThat(checked).isGreaterThan(150);
  }
}
