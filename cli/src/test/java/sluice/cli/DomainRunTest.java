package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarOutputStream;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import sluice.testbase.Await;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
final class DomainRunTest {
  private static final List<String> OPENS =
      List.of("--add-opens", "java.base/java.lang=sluice.sys");

  /// Writes its second argument to the file named by the first, from another thread and with a
  /// delay.
  public static final class Writes {
    private Writes() {}

    public static void main(String[] arguments) {
      new Thread(() -> write(arguments)).start();
    }

    private static void write(String[] arguments) {
      try {
        Thread.sleep(100);
        Files.writeString(Path.of(arguments[0]), arguments[1]);
      } catch (IOException | InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /// An application that throws.
  @SuppressWarnings("DoNotCallSuggester") // called by its name
  public static final class Throws {
    private Throws() {}

    public static void main(String[] arguments) {
      throw new IllegalStateException("out of luck");
    }
  }

  /// An application that throws an exception whose `toString` throws.
  @SuppressWarnings({"DoNotCallSuggester", "OverrideThrowableToString", "serial"})
  public static final class Mute extends RuntimeException {
    private Mute() {}

    @Override
    public String toString() {
      throw new AssertionError("no text");
    }

    public static void main(String[] arguments) {
      throw new Mute();
    }
  }

  /// An application that calls `System.exit`, which is refused.
  public static final class Exits {
    private Exits() {}

    public static void main(String[] arguments) {
      System.exit(3);
    }
  }

  /// An application that loops forever and catches all exceptions.
  public static final class Loops {
    private Loops() {}

    public static void main(String[] arguments) {
      System.out.println("looping");
      int[] turns = {0};
      while (turns[0] >= 0) {
        try {
          turns[0] = (turns[0] + 1) & 7;
        } catch (RuntimeException e) {
          turns[0] = 0;
        }
      }
    }
  }

  /// An application that waits in threads of each kind. When these are interrupted at the end, they
  /// report it or throw.
  public static final class Waits {
    private static final CountDownLatch WAITING = new CountDownLatch(7);

    private Waits() {}

    private static void sleep() throws InterruptedException {
      WAITING.countDown();
      Thread.sleep(1_000_000);
    }

    static void fail() {
      try {
        sleep();
      } catch (InterruptedException e) {
        throw new IllegalStateException("interrupted", e);
      }
    }

    @SuppressWarnings("CatchAndPrintStackTrace") // as applications do
    private static void tell() {
      try {
        sleep();
      } catch (InterruptedException e) {
        e.printStackTrace();
        Logger.getLogger("waits").log(Level.SEVERE, "interrupted", e);
      }
    }

    private static Thread handled(Thread thread) {
      thread.setUncaughtExceptionHandler((_, e) -> System.err.println("handled " + e));
      thread.start();
      return thread;
    }

    public static void main(String[] arguments) throws InterruptedException {
      new Thread(Waits::fail).start();
      new Thread(Waits::tell).start();
      handled(new Thread(Waits::fail));
      handled(Thread.ofVirtual().unstarted(Waits::fail));
      handled(
          new Thread("below") {
            @Override
            public void run() {
              fail();
            }
          });
      Executors.newSingleThreadExecutor().execute(Waits::fail);
      new Thread(
              () -> {
                try {
                  WAITING.await();
                  System.out.println("waiting");
                } catch (InterruptedException e) {
                  throw new IllegalStateException(e);
                }
              })
          .start();
      sleep();
    }
  }

  @TempDir Path directory;
  private final StringWriter err = new StringWriter();

  private int run(String... words) {
    err.getBuffer().setLength(0);
    return Commands.commandLine(words).setErr(new PrintWriter(err)).execute(words);
  }

  /// Creates a jar with a main class and its nested classes.
  private String jar(Class<?> type) throws IOException {
    Path jar = directory.resolve(type.getSimpleName() + ".jar");
    try (JarOutputStream to = new JarOutputStream(Files.newOutputStream(jar))) {
      to.putNextEntry(new ZipEntry("META-INF/MANIFEST.MF"));
      String manifest = "Manifest-Version: 1.0\nMain-Class: " + type.getName() + "\n";
      to.write(manifest.getBytes(StandardCharsets.UTF_8));
      put(type.getName(), to);
      for (int i = 1; put(type.getName() + "$" + i, to); i++) {}
    }
    return jar.toString();
  }

  /// Adds a class file to the jar. Returns false if there is no such class.
  private static boolean put(String type, JarOutputStream to) throws IOException {
    String file = type.replace('.', '/') + ".class";
    try (InputStream in = DomainRunTest.class.getResourceAsStream("/" + file)) {
      if (in == null) {
        return false;
      }
      to.putNextEntry(new ZipEntry(file));
      to.write(in.readAllBytes());
      return true;
    }
  }

  /// Checks that translated classes are kept for the next run.
  @Test
  void translatedClassesAreKept() throws Exception {
    Path classes = directory.resolve("classes");
    System.setProperty("sluice.class.dir", classes.toString());
    try {
      Path file = directory.resolve("written");
      String jar = jar(Writes.class);
      for (int i = 0; i < 2; i++) {
        assertThat(run("domain", "run", jar, file.toString(), "again")).as(err.toString()).isZero();
        try (Stream<Path> kept = Files.list(classes)) {
          assertThat(kept)
              .singleElement()
              .satisfies(each -> assertThat(each.toString()).endsWith(".classes"));
        }
      }
    } finally {
      System.clearProperty("sluice.class.dir");
    }
  }

  @Test
  void runsUntilNoThreadIsLeft() throws IOException {
    Path file = directory.resolve("written");
    assertThat(run("domain", "run", jar(Writes.class), file.toString(), "--", "--text")).isZero();
    assertThat(Files.readString(file)).isEqualTo("--text");
    assertThat(err.toString()).contains("domain Writes.jar ended: main returned");
  }

  @Test
  void whatMainThrowsIsAFailure() throws IOException {
    assertThat(run("domain", "run", jar(Throws.class))).isOne();
    assertThat(err.toString()).contains("main threw").contains("out of luck");
    assertThat(run("domain", "run", jar(Mute.class))).isOne();
    assertThat(err.toString()).contains("main threw " + Mute.class.getName());
    assertThat(run("domain", "run", jar(Exits.class))).isOne();
    assertThat(err.toString()).contains("Exits.main", "it ends the JVM of all domains", "Fix: ");
  }

  @Test
  void wrongUsageIsTold() throws IOException {
    String jar = jar(Writes.class);
    assertThat(run("domain", "run", jar, "--budget", "cpu=much")).isEqualTo(2);
    assertThat(err.toString()).contains("\"cpu=much\" is not understood. Fix: ");
    assertThat(run("domain", "run", directory.resolve("none.jar").toString())).isEqualTo(2);
    assertThat(err.toString()).contains("none.jar");
    assertThat(run("domain", "run", jar, "--main", "None")).isEqualTo(2);
    assertThat(err.toString()).contains("has no class None");
    assertThat(run("domain", "run", jar, "--main", "java.lang.String")).isEqualTo(2);
    assertThat(err.toString()).contains("main(String[])");
  }

  @Test
  void aFileHasSeveralDomains() throws IOException {
    jar(Writes.class);
    Path file = directory.resolve("written");
    Path config = directory.resolve("two.toml");
    Files.writeString(
        config,
        """
        [domain.first]
        jars = ["Writes.jar"]
        args = ["%1$s-1", "one"]
        budget = { cpu = "50%%", threads = 4 }

        [domain.second]
        jars = ["Writes.jar"]
        main = "%2$s"
        args = ["%1$s-2", "two"]
        """
            .formatted(file, Writes.class.getName()));
    assertThat(run("domain", "run", config.toString())).as(err.toString()).isZero();
    assertThat(directory.resolve("written-1")).hasContent("one");
    assertThat(directory.resolve("written-2")).hasContent("two");
    assertThat(err.toString()).contains("domain first ended", "domain second ended");
    assertThat(run("domain", "run", config.toString(), "--main", "None")).isEqualTo(2);
    assertThat(err.toString()).contains("says what runs. Fix: ");
  }

  @Test
  void aSchedulerInAJvmWithoutCarriersIsRefused() throws IOException {
    jar(Writes.class);
    Path config = directory.resolve("scheduler.toml");
    Files.writeString(
        config,
        """
        [domain.a]
        jars = ["Writes.jar"]
        args = ["%s", "one"]
        scheduler = "%s"
        """
            .formatted(directory.resolve("written"), Writes.class.getName()));
    assertThat(run("domain", "run", config.toString())).isEqualTo(2);
    assertThat(err.toString())
        .contains("domain a has scheduling of its own. Why: ", "Fix: start Java with --add-opens ");
  }

  static Stream<Arguments> wrongFiles() {
    String jar = "[domain.a]\njars = ['x.jar']\n";
    return Stream.of(
        arguments("[domain.a]\njars = 3", "2: jars is no list. Fix: jars = [\"text\"]"),
        arguments("[domain.a]", "1: domain a has no jars. Fix: add jars"),
        arguments(jar + "color = 1", "3: unknown key color of domain a. Fix: known are"),
        arguments(jar + "budget = { cpu = 'much' }", "3: budget cpu=much is not understood"),
        arguments(jar + "\nbudget = 1", "4: budget is no table. Fix: "),
        arguments("[domain.a]\njars = ['x.jar', 1]", "2: jars has no string there. Fix: "),
        arguments("[domain.a]\njars = ['x.jar'", "2: "),
        arguments("[domain.'a b']\njars = ['x.jar']", "1: the name of a domain is 1 to 64"),
        arguments(
            jar + "scheduling = 'fair'", "3: scheduling \"fair\" is none of preemptive, coop"),
        arguments(jar + "cpus = 0", "3: cpus is no list. Fix: cpus = [0, 1]"),
        arguments(jar + "cpus = ['0']", "3: cpus has no whole number there. Fix: "),
        arguments(jar + "cpus = [-1]", "3: cpus takes numbers of processors, from 0: -1. Fix: "),
        arguments("[other]", "1: unknown key other of the file. Fix: known are domain, component"),
        arguments("# nothing", " it has no domain. Fix: write [domain.NAME]"));
  }

  @ParameterizedTest
  @MethodSource("wrongFiles")
  void anErrorNamesFileLineAndFix(String text, String message) throws IOException {
    Path config = directory.resolve("wrong.toml");
    Files.writeString(config, text);
    assertThat(run("domain", "run", config.toString())).isEqualTo(2);
    assertThat(err.toString()).contains(config + ":" + message).contains("Fix: ");
  }

  @Test
  void domainsOfAnotherProcessAreListedShownAndKilled() throws Exception {
    jar(Loops.class);
    Path config = directory.resolve("two.toml");
    Files.writeString(
        config, "[domain.stays]\njars = [\"Loops.jar\"]\n[domain.goes]\njars = [\"Loops.jar\"]\n");
    ProcessBuilder builder =
        new ProcessBuilder(SluiceProcess.command("domain", "run", config.toString()));
    Path counters = directory.resolve("run");
    builder.environment().put("SLUICE_RUN_DIR", counters.toString());
    Process process = builder.start();
    try {
      BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
      assertThat(out.readLine()).isEqualTo("looping");
      assertThat(out.readLine()).isEqualTo("looping");
      String dir = "--dir=" + counters;
      Await.until(
          "both to be counted",
          () -> output("domain", "ls", "--json", dir).split("\"threads\":1", -1).length == 3);
      assertThat(output("domain", "ls", dir)).contains("goes", "stays", "alive");
      assertThat(output("domain", "stat", "goes", dir)).contains("cpu_ms", "alive");
      assertThat(run("domain", "stat", "none", dir)).isEqualTo(2);
      assertThat(err.toString()).contains("no domain is called none. Fix: ");
      assertThat(output("domain", "kill", "goes", dir)).contains("goes", "has ended");
      Await.until(
          "the end to be counted",
          () -> output("domain", "stat", "goes", "--json", dir).contains("\"ended\""));
      assertThat(output("domain", "stat", "stays", "--json", dir)).contains("\"alive\"");
      assertThat(process.isAlive()).isTrue();
      assertThat(output("domain", "kill", "stays", dir)).contains("stays", "has ended");
      assertThat(Await.end(process)).isEqualTo(1);
      assertThat(new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8))
          .contains("domain goes was killed", "domain stays was killed");
      assertThat(counters).isEmptyDirectory();
    } finally {
      process.destroyForcibly();
    }
  }

  private String output(String... words) {
    StringWriter out = new StringWriter();
    Commands.commandLine(words)
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(words);
    return out.toString();
  }

  /// Starts a JVM without the `--add-opens` option.
  @Test
  void whatIsLackingIsTold() throws Exception {
    Process process =
        new ProcessBuilder(SluiceProcess.command("domain", "run", jar(Throws.class)))
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(Await.end(process)).isOne();
      assertThat(err)
          .contains("out of luck")
          .contains("threads of domains are platform threads")
          .contains("Fix: start Java with --add-opens java.base/java.lang=");
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void aSignalEndsTheDomain() throws Exception {
    List<String> command = SluiceProcess.command("domain", "run", jar(Loops.class));
    command.addAll(command.indexOf("-m"), OPENS);
    assertThat(toldWhenInterrupted(command, "looping"))
        .contains("domain Loops.jar was ended by SIGINT")
        .doesNotContain("threads");
  }

  /// Interrupts threads that wait. The exceptions caused by the end of the domain are no failure of
  /// the application, so neither the domain nor the JVM prints them.
  @Test
  void whatTheEndThrowsIsNotPrinted() throws Exception {
    List<String> command = SluiceProcess.command("domain", "run", jar(Waits.class));
    command.addAll(command.indexOf("-m"), OPENS);
    assertThat(toldWhenInterrupted(command, "waiting").lines())
        .containsExactly("sluice: domain Waits.jar was ended by SIGINT");
  }

  /// Sends SIGINT to a command after it has printed the line.
  ///
  /// @return the error output of the command
  private static String toldWhenInterrupted(List<String> command, String line) throws Exception {
    Process process = new ProcessBuilder(command).start();
    try {
      BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
      assertThat(out.readLine()).isEqualTo(line);
      Await.end(new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start());
      assertThat(Await.end(process)).isEqualTo(130);
      assertThat(out.readLine()).isNull();
      return new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    } finally {
      process.destroyForcibly();
    }
  }
}
