package sluice.domain.translate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.Scanner;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

final class TranslatorTest {
  /// Gives the JDK a pattern.
  static final class Scans {
    static String next(Scanner scanner) {
      return scanner.next(Pattern.compile("a+"));
    }
  }

  private static byte[] bytes(Class<?> type) throws IOException {
    String file = type.getName().substring(type.getPackageName().length() + 1) + ".class";
    try (InputStream in = type.getResourceAsStream(file)) {
      return in.readAllBytes();
    }
  }

  @Test
  void patternForTheJdkIsRefused() throws IOException {
    byte[] scans = bytes(Scans.class);
    assertThatThrownBy(() -> new Translator().translate(scans, _ -> null))
        .isInstanceOf(Refused.class)
        .hasMessageContaining("java.util.Scanner.next")
        .hasMessageContaining("Fix: ");
  }

  @Test
  void whatIsNoClassFileIsRefused() {
    for (byte[] bad : List.of(new byte[0], new byte[100], new byte[] {1, 2, 3})) {
      assertThatThrownBy(() -> new Translator().translate(bad, _ -> null))
          .isInstanceOf(Refused.class);
    }
  }

  /// Each translated class passes the JDK's verifier: frames, types and jumps are right.
  @Test
  void classesOfALibraryStayWellFormed() throws IOException, URISyntaxException {
    Path jar =
        Path.of(Assertions.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    Translator translator = new Translator();
    int verified = 0;
    try (JarFile file = new JarFile(jar.toFile())) {
      List<JarEntry> entries =
          file.stream()
              .filter(entry -> entry.getName().matches("org/assertj/core/(util|api)/.*\\.class"))
              .filter(entry -> entry.getName().hashCode() % 4 == 0)
              .toList();
      for (JarEntry entry : entries) {
        try (InputStream in = file.getInputStream(entry)) {
          byte[] bytes = in.readAllBytes();
          byte[] translated;
          try {
            translated = translator.translate(bytes, _ -> null);
          } catch (Refused e) {
            continue;
          }
          List<VerifyError> before = ClassFile.of().verify(bytes);
          assertThat(ClassFile.of().verify(translated)).as(entry.getName()).hasSameSizeAs(before);
          verified++;
        }
      }
    }
    assertThat(verified).isGreaterThan(50);
  }
}
