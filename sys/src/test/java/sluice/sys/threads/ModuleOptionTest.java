package sluice.sys.threads;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class ModuleOptionTest {
  private static final String OPENS = "--add-opens java.base/java.lang";

  @Test
  void namesTheModuleOfAClass() {
    assertThat(ModuleOption.to(OPENS, ModuleOption.class))
        .isEqualTo("--add-opens java.base/java.lang=sluice.sys");
  }

  /// Checks that the option advised to a program on the class path works there.
  @Test
  void theOptionThatIsAdvisedOnTheClassPathWorksThere() throws Exception {
    String advised = carriersOnTheClassPath(List.of());
    assertThat(advised).contains("Fix: start Java with " + OPENS + "=ALL-UNNAMED");
    String option = advised.replaceFirst("(?s).*start Java with (\\S+) (\\S+?),.*", "$1=$2");
    assertThat(carriersOnTheClassPath(List.of(option))).isEqualTo("carried");
  }

  private static String carriersOnTheClassPath(List<String> options) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin/java").toString());
    command.addAll(options);
    command.add("-cp");
    command.add(
        System.getProperty("jdk.module.path", "")
            + File.pathSeparator
            + System.getProperty("java.class.path", "")
            + File.pathSeparator
            + Path.of("target/test-classes").toAbsolutePath());
    command.add(Main.class.getName());
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try (InputStream out = process.getInputStream()) {
      return new String(out.readAllBytes(), StandardCharsets.UTF_8).strip();
    }
  }

  /// A program that requests a virtual thread on a custom carrier, and prints the outcome.
  static final class Main {
    public static void main(String[] args) {
      try {
        Thread thread = VirtualThreads.on(Runnable::run).start(() -> {});
        thread.join();
        System.out.println("carried");
      } catch (UnsupportedOperationException | InterruptedException e) {
        System.out.println(e.getMessage());
      }
    }
  }
}
