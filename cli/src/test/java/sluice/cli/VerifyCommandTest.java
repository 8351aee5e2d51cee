package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class VerifyCommandTest {
  @SuppressWarnings("unused")
  static final class Good {
    static int sum(byte[] bytes) {
      int sum = 0;
      for (byte one : bytes) {
        sum += one;
      }
      return sum;
    }
  }

  @SuppressWarnings("unused")
  static final class Bad {
    static void exits(int n) {
      for (int i = 0; i < n; i++) {
        System.exit(i);
      }
    }
  }

  @SuppressWarnings("unused")
  static final class Native {
    static native int call();
  }

  @TempDir Path directory;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... words) {
    out.getBuffer().setLength(0);
    return Commands.commandLine(words)
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(words);
  }

  private Path jar(Class<?> type) throws IOException {
    String file = type.getName().substring(type.getPackageName().length() + 1) + ".class";
    Path jar = directory.resolve(type.getSimpleName() + ".jar");
    try (InputStream in = type.getResourceAsStream(file);
        JarOutputStream to = new JarOutputStream(Files.newOutputStream(jar))) {
      to.putNextEntry(new ZipEntry(type.getName().replace('.', '/') + ".class"));
      to.write(in.readAllBytes());
    }
    return jar;
  }

  @Test
  void acceptedMethodsHaveTheirBounds() throws IOException {
    assertThat(run("verify", jar(Good.class).toString(), "--max-length", "100")).isZero();
    assertThat(out.toString())
        .containsPattern("accepted \\S+Good\\.sum\\(\\[B\\)I: at most 1\\d{3} bytecodes, 0 bytes");
  }

  @Test
  void refusedMethodsSayWhereWhyAndTheFix() throws IOException {
    assertThat(run("verify", jar(Bad.class).toString())).isOne();
    assertThat(out.toString())
        .containsPattern(
            "refused  \\S+Bad\\.exits\\(I\\)V, line \\d+: \\S+: .*Fix: .*docs/verify.md#");
    assertThat(run("verify", jar(Bad.class).toString(), "--json")).isOne();
    assertThat(out.toString()).startsWith("[{\"class\":").contains("\"verdict\":\"refused\"");
    assertThat(run("verify", jar(Bad.class).toString(), "--summary")).isOne();
    assertThat(out.toString()).contains("all methods", "accepted");
  }

  @Test
  void aDomainCheckNamesWhatIsRefused() throws IOException {
    assertThat(run("domain", "check", jar(Bad.class).toString())).isOne();
    assertThat(out.toString())
        .contains("refused", "java.lang.System.exit", ": throws when called, ", "Fix: ")
        .contains("1 classes, 1 refused (1 when called), ");
    assertThat(run("domain", "check", jar(Good.class).toString())).isZero();
    assertThat(run("domain", "check", "--json", jar(Bad.class).toString())).isOne();
    assertThat(out.toString()).contains("\"treatment\":\"refused\",\"when\":\"call\"");
    assertThat(run("domain", "check", jar(Native.class).toString())).isOne();
    assertThat(out.toString())
        .contains("native method in ", ": the class is not loaded, ", "1 classes, 1 refused, ");
  }

  @Test
  void whatCannotBeReadIsWrongUsage() throws IOException {
    Path text = Files.writeString(directory.resolve("a.jar"), "no jar");
    assertThat(run("verify", text.toString())).isEqualTo(2);
    assertThat(run("verify", directory.resolve("missing.class").toString())).isEqualTo(2);
    assertThat(run("verify", directory.toString())).isEqualTo(2);
    assertThat(run("domain", "check", text.toString())).isEqualTo(2);
    Path broken = Files.writeString(directory.resolve("B.class"), "no class");
    assertThat(run("verify", broken.toString())).isEqualTo(2);
    assertThat(err.toString()).contains("B.class");
    assertThat(run("verify")).isEqualTo(2);
    assertThat(run("verify", "--max-length", "0", broken.toString())).isEqualTo(2);
  }

  @Test
  void aCostsFileAddsToTheTable() throws IOException {
    Path costs = Files.writeString(directory.resolve("costs.txt"), "p/C.m ()V work x");
    assertThat(run("verify", "--costs", costs.toString(), jar(Good.class).toString())).isEqualTo(2);
    assertThat(err.toString()).contains("costs.txt:1: ");
  }
}
