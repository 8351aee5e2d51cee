package sluice.domain;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.testbase.Child;

/// Checks that a waiting class initializer does not crash the JVM.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
final class InitializersTest {
  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"--add-opens=java.base/java.lang=ALL-UNNAMED", "-Dwithout.carriers=true"})
  void aClassInitializerWaitsOnTheCarrierThatItBeganOn(String option) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add(option);
    command.add("-XX:+UseSerialGC");
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("-cp");
    command.add(Child.classPath());
    command.add(InitializerMain.class.getName());
    Child child = Child.run(new ProcessBuilder(command).directory(directory.toFile()));
    assertThat(child.output()).contains("moves: 0", "the end");
    assertThat(child.exit()).isZero();
  }
}
