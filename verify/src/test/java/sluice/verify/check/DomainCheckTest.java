package sluice.verify.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Timer;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;

final class DomainCheckTest {
  /// The code that is checked. It is never run.
  @SuppressWarnings({"all", "removal", "deprecation", "unused"})
  static class Subject {
    static class Worker extends Thread {}

    /// A subclass of a class whose members are all refused.
    static class Plugins extends java.net.URLClassLoader {
      int loaded;

      Plugins() {
        super(new java.net.URL[0]);
      }

      void loadAll() {
        loaded++;
      }
    }

    static int ownMembers(Plugins plugins) {
      plugins.loadAll();
      return plugins.loaded;
    }

    static Object inheritedMember(Plugins plugins) throws ClassNotFoundException {
      return plugins.loadClass("x");
    }

    static void exits() {
      System.exit(1);
    }

    static IntConsumer exitsLater() {
      return System::exit;
    }

    static void startsProcess() throws IOException {
      new ProcessBuilder("ls").start();
    }

    static void loads() {
      System.loadLibrary("x");
    }

    static void opens(java.lang.reflect.Field field) {
      field.setAccessible(true);
    }

    static void inherited() {
      new Worker().start();
    }

    static void async() {
      CompletableFuture.runAsync(() -> {});
    }

    static Object timer() {
      return new Timer();
    }

    static void prints() {
      System.out.println(System.getProperty("x"));
    }

    static boolean matches(String s) {
      return s.matches("a+");
    }

    static Object power(java.math.BigInteger b) {
      return b.pow(1000);
    }

    static native int nativeMethod();

    @Override
    protected void finalize() {}

    static int harmless(int n) {
      return Math.max(n, 1);
    }
  }

  private static byte[] bytes(Class<?> type) throws IOException {
    String file = type.getName().substring(type.getPackageName().length() + 1) + ".class";
    try (InputStream in = type.getResourceAsStream(file)) {
      return in.readAllBytes();
    }
  }

  private static List<Finding> findings() throws IOException {
    DomainCheck check = new DomainCheck(RuleTable.standard());
    check.add("subject", bytes(Subject.class));
    check.add("worker", bytes(Subject.Worker.class));
    check.add("plugins", bytes(Subject.Plugins.class));
    return check.run();
  }

  @Test
  void eachUseIsFoundWithItsTreatment() throws IOException {
    List<Finding> all = findings();
    List<String> found =
        all.stream()
            .filter(f -> f.className().endsWith("Subject"))
            .map(f ->
                f.member().substring(0, f.member().indexOf('('))
                    + " "
                    + f.rule().treatment().label())
            .distinct()
            .toList();
    assertThat(found)
        .contains(
            "inheritedMember refused",
            "exits refused",
            "exitsLater refused",
            "startsProcess refused",
            "loads refused",
            "opens refused",
            "inherited redirected",
            "async redirected",
            "timer refused",
            "prints redirected",
            "matches relocated",
            "power not-enforced",
            "nativeMethod refused",
            "finalize not-enforced")
        .noneMatch(line -> line.startsWith("harmless") || line.startsWith("ownMembers"));
    assertThat(all)
        .allSatisfy(f -> {
          assertThat(f.rule().why()).isNotBlank();
          assertThat(f.rule().fix()).isNotBlank();
          assertThat(f.line() > 0 || f.member().matches("(native|finalize).*")).isTrue();
        });
  }

  /// Checks the two kinds of refusal: a refused call throws when it is made, and a class that
  /// cannot exist without refused code is not loaded.
  @Test
  void aRefusalIsOfACallOrOfTheClass() throws IOException {
    List<Finding> all = findings();
    assertThat(all.stream().filter(Finding::refusesClass).map(Finding::use))
        .containsExactlyInAnyOrder("native method", "java.net.URLClassLoader.<init>");
    assertThat(all.stream().filter(Finding::throwsAtCall).map(Finding::use))
        .contains("java.lang.System.exit", "java.lang.reflect.Field.setAccessible")
        .contains("java.util.Timer.<init>", "java.lang.ProcessBuilder.<init>");
    assertThat(all)
        .filteredOn(each -> each.rule().treatment() != Treatment.REFUSED)
        .noneMatch(each -> each.throwsAtCall() || each.refusesClass());
  }

  @Test
  void brokenClassesAreReported() {
    DomainCheck check = new DomainCheck(RuleTable.standard());
    check.add("broken", new byte[] {1, 2, 3});
    assertThat(check.run()).isEmpty();
    assertThat(check.unreadable()).hasSize(1);
  }

  @Test
  void brokenRulesAreRefusedWithFileAndLine() {
    assertThat(RuleTable.standard().size()).isGreaterThan(80);
    assertThatThrownBy(() -> RuleTable.parse("my.txt", "\nrefused x"))
        .hasMessageContaining("my.txt:2: ");
    for (String wrong :
        List.of(
            "refused p/A.b | why",
            "refused p/A.b",
            "refused | why | fix",
            "p/A.b | why | fix",
            "refused p/A | why | fix",
            "refused p/A.b | why | fix | more",
            "forbidden p/A.b | why | fix")) {
      assertThatThrownBy(() -> RuleTable.parse("my.txt", wrong))
          .as(wrong)
          .isInstanceOf(IllegalArgumentException.class);
    }
    Rule rule = RuleTable.parse("my.txt", "refused  p/A.b  |  why |fix ").find("p/A", "b");
    assertThat(rule).isEqualTo(new Rule(Treatment.REFUSED, "p/A", "b", "why", "fix"));
  }
}
