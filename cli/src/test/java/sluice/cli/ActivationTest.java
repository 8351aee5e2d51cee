package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.testbase.Await;
import sluice.testbase.FreePort;

/// Tests every way to give an unmodified application the selector provider, with real JVMs.
@Timeout(600)
final class ActivationTest {
  private static final String OURS = "provider sluice.nio.SluiceSelectorProvider\n";
  private static final String PROPERTY =
      "-Djava.nio.channels.spi.SelectorProvider=sluice.nio.SluiceSelectorProvider";

  @TempDir Path directory;
  private SampleApplication application;

  private record Result(int exitCode, String out, String err) {
    void worksOn(String engine) {
      assertThat(out).as(err).contains(OURS, "echo hello on sluice.nio.");
      assertThat(err).contains("sluice.nio: engine " + engine).doesNotContain("WARNING");
      assertThat(exitCode).isZero();
    }
  }

  @BeforeEach
  void anApplication() throws IOException {
    application = new SampleApplication(Files.createDirectory(directory.resolve("sample")));
  }

  private static String path(List<Path> jars) {
    return jars.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
  }

  @Test
  void theProperty() throws Exception {
    java(
            "--module-path",
            path(SampleApplication.providerJars()),
            "--add-modules=sluice.nio",
            "--add-exports=java.base/sun.nio.ch=sluice.nio",
            "--enable-native-access=sluice.sys",
            PROPERTY,
            "-jar",
            application.jar())
        .worksOn("readiness");
  }

  @Test
  void theServiceOnTheModulePath() throws Exception {
    java(
            "--module-path",
            path(SampleApplication.providerJars()),
            "--add-exports=java.base/sun.nio.ch=sluice.nio",
            "--enable-native-access=sluice.sys",
            "-jar",
            application.jar())
        .worksOn("readiness");
  }

  @Test
  void theServiceOnTheClassPath() throws Exception {
    java(
            "-cp",
            path(SampleApplication.providerJars()) + File.pathSeparator + application.classes(),
            "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
            "--enable-native-access=ALL-UNNAMED",
            "Sample")
        .worksOn("readiness");
  }

  @Test
  void theAgentNeedsNoOtherOption() throws Exception {
    java("-javaagent:" + SampleApplication.agentJar(), "-jar", application.jar())
        .worksOn("readiness");
  }

  @Test
  void anArgumentOfTheAgentIsNotPassedOverInSilence() throws Exception {
    Result told =
        java("-javaagent:" + SampleApplication.agentJar() + "=fast", "-jar", application.jar());
    told.worksOn("readiness");
    assertThat(told.err()).contains("'fast' is not used. Fix:");
  }

  @Test
  void theAgentLeavesAnotherProviderAlone() throws Exception {
    Result other =
        java(
            "-javaagent:" + SampleApplication.agentJar(),
            "-Djava.nio.channels.spi.SelectorProvider=sun.nio.ch.EPollSelectorProvider",
            "-jar",
            application.jar());
    assertThat(other.out()).doesNotContain("sluice");
    assertThat(other.err()).contains("not used", "EPollSelectorProvider");
  }

  @Test
  void theAgentSaysThatItComesTooLate() throws Exception {
    String ours = "-javaagent:" + SampleApplication.agentJar();
    String other = "-javaagent:" + application.jar();
    Result late = java(other, ours, "-jar", application.jar());
    assertThat(late.out()).contains("premain sun.nio.ch.", "echo hello on sun.nio.ch.");
    assertThat(late.err()).contains("not used", "sun.nio.ch.", "Fix: put -javaagent");
    Result first = java(ours, other, "-jar", application.jar());
    assertThat(first.out()).contains("premain sluice.nio.");
    first.worksOn("readiness");
  }

  @Test
  void withoutTheExportCompletionIsChosenAndSaysWhenItHasNoRings() throws Exception {
    String[] words = {
      "--module-path",
      path(SampleApplication.providerJars()),
      "--add-modules=sluice.nio",
      "--enable-native-access=sluice.sys",
      PROPERTY,
      "-Dsluice.nio.memory=0",
      "-jar",
      application.jar()
    };
    Result ringless = java(words);
    ringless.worksOn("completion, chosen because java.base does not export sun.nio.ch");
    assertThat(ringless.err()).contains(", without rings because of -Dsluice.nio.memory=0 (");
  }

  @Test
  void theVariableOfTheJdk() throws Exception {
    run(
            Map.of("JDK_JAVA_OPTIONS", "-javaagent:" + SampleApplication.agentJar()),
            java(),
            "-jar",
            application.jar())
        .worksOn("readiness");
  }

  @Test
  void everyEngineCanBeNamedAndAWrongNameIsRefused() throws Exception {
    String agent = "-javaagent:" + SampleApplication.agentJar();
    Result jdk = java(agent, "-Dsluice.nio.engine=jdk", "-jar", application.jar());
    assertThat(jdk.out()).contains(OURS, "echo hello on sun.nio.ch.");
    assertThat(jdk.err()).contains("engine jdk, named by -Dsluice.nio.engine");
    Result quiet = java(agent, "-Dsluice.nio.quiet=true", "-jar", application.jar());
    assertThat(quiet.err()).isEmpty();
    Result wrong = java(agent, "-Dsluice.nio.engine=fast", "-jar", application.jar());
    assertThat(wrong.exitCode()).isEqualTo(1);
    assertThat(wrong.err())
        .containsOnlyOnce("-Dsluice.nio.engine=fast: no such engine. Fix:")
        .doesNotContain("ServiceConfigurationError", "Caused by");
  }

  @Test
  void theEngineOfTheJdkWithoutTheExportIsRefusedWithTheFix() throws Exception {
    Result refused =
        java(
            "--module-path",
            path(SampleApplication.providerJars()),
            "--add-modules=sluice.nio",
            PROPERTY,
            "-Dsluice.nio.engine=jdk",
            "-jar",
            application.jar());
    assertThat(refused.err())
        .contains("Why: java.base does not export sun.nio.ch to module sluice.nio")
        .contains("Fix: start java with --add-exports java.base/sun.nio.ch=sluice.nio");
    assertThat(refused.exitCode()).isEqualTo(1);
  }

  @Test
  void countsArePrintedAtExit() throws Exception {
    Result counted =
        java(
            "-javaagent:" + SampleApplication.agentJar(),
            "-Dsluice.nio.stats=true",
            "-jar",
            application.jar());
    assertThat(counted.err()).containsPattern("sluice.nio: selects [0-9]+, waits .*epoll_ctl 2,");
  }

  @Test
  void theRunCommand() throws Exception {
    String launcher = launcher();
    run(Map.of(), launcher, "run", application.jar()).worksOn("readiness");
    Result code =
        run(Map.of(), launcher, "run", "-Dsample=a b", "-cp", application.classes(), "Sample", "7");
    assertThat(code.out()).contains(OURS, "words [7] a b");
    assertThat(code.exitCode()).isEqualTo(7);
    Result jdk = run(Map.of(), launcher, "run", "--backend", "jdk", application.jar());
    assertThat(jdk.out()).contains("provider sun.nio.ch.", "echo hello on sun.nio.ch.");
    Result wrong = run(Map.of(), launcher, "run", "-Dsluice.nio.engine=fast", application.jar());
    assertThat(wrong.exitCode()).isEqualTo(1);
    assertThat(wrong.err())
        .containsOnlyOnce("-Dsluice.nio.engine=fast: no such engine. Fix:")
        .doesNotContain("ServiceConfigurationError", "Caused by");
    Result noMain = run(Map.of(), launcher, "run", application.jarWithoutMain());
    assertThat(noMain.err()).containsPattern("Main-Class|main manifest attribute");
    assertThat(noMain.exitCode()).isNotZero();
    Result capitals = run(Map.of(), launcher, "run", application.jarInCapitals());
    capitals.worksOn("readiness");
    String noJar = Files.writeString(directory.resolve("no.jar"), "no jar").toString();
    Result refused = run(Map.of(), launcher, "run", noJar);
    assertThat(refused.err()).containsPattern("is no jar|corrupt jarfile");
    assertThat(refused.exitCode()).isNotZero();
  }

  /// Limits the modules to `java.base`, which hides the provider's modules from the application's
  /// JVM.
  @Test
  void limitedModules() throws Exception {
    String launcher = launcher();
    String limit = "--limit-modules=java.base";
    run(Map.of(), launcher, "run", limit, application.jar()).worksOn("readiness");
    run(Map.of(), launcher, "run", "--limit-modules", "java.base", application.jar())
        .worksOn("readiness");
    java("-javaagent:" + SampleApplication.agentJar(), limit, "-jar", application.jar())
        .worksOn("readiness");
    Result jdk = run(Map.of(), launcher, "run", limit, "--backend=jdk", application.jar());
    assertThat(jdk.out()).contains("echo hello on sun.nio.ch.");
    String file = Files.writeString(directory.resolve("options"), limit).toString();
    List<Result> unseen =
        List.of(
            run(Map.of("JDK_JAVA_OPTIONS", limit), launcher, "run", application.jar()),
            run(Map.of(), launcher, "run", "@" + file, application.jar()));
    for (Result hidden : unseen) {
      assertThat(hidden.out()).as(hidden.err()).contains("echo hello on sun.nio.ch.");
      assertThat(hidden.err())
          .containsOnlyOnce("on the JDK's own selectors")
          .contains("Fix: add ,sluice.nio");
    }
    run(Map.of("JDK_JAVA_OPTIONS", limit + ",sluice.nio"), launcher, "run", application.jar())
        .worksOn("readiness");
  }

  /// Serves files in front of an application with the agent, the system property and the command.
  @Test
  void filesInFrontOfAnApplication() throws Exception {
    Path site = Files.createDirectory(directory.resolve("site"));
    Files.writeString(site.resolve("a.txt"), "a file");
    String files = "-Dsluice.nio.static=" + site;
    String agent = "-javaagent:" + SampleApplication.agentJar();
    Path selecting = PageServer.write(directory);
    Path blocking = BlockingPageServer.write(directory);
    List<String> command = List.of(launcher(), "run", "--static", site.toString(), "-cp", "none");
    answersFiles(List.of(java(), agent, files), selecting);
    answersFiles(List.of(java(), agent, files), blocking);
    answersFiles(command, selecting);
    answersFiles(command, blocking);
    answersFiles(
        List.of(
            java(),
            "--module-path",
            path(SampleApplication.frontJars()),
            "--add-modules=sluice.nio,sluice.http,jdk.compiler,jdk.httpserver",
            "--enable-native-access=sluice.sys",
            PROPERTY,
            files),
        selecting);
    Result none = run(Map.of(), launcher(), "run", "--static", "/no/site", application.jar());
    assertThat(none.err()).contains("--static /no/site: there is no such directory. Fix:");
    Result jdk = java(agent, files, "-Dsluice.nio.engine=jdk", "-jar", application.jar());
    assertThat(jdk.err()).contains("files in front of an application need our own channels. Fix:");
    assertThat(jdk.exitCode()).isEqualTo(1);
  }

  /// Sets the property late, as Payara Micro does, when the JDK has already decided on IPv6.
  @Test
  void aPropertyThatIsSetAfterTheJdkHasReadItStopsNoServer() throws Exception {
    Path site = Files.createDirectory(directory.resolve("site"));
    Path late =
        Files.writeString(
            directory.resolve("Late.java"),
            """
            void main() throws Exception {
              java.net.InetAddress.getLoopbackAddress().isReachable(1);
              System.setProperty("java.net.preferIPv4Stack", "true");
              var any = new java.net.InetSocketAddress("::", 0);
              java.nio.channels.ServerSocketChannel.open().bind(any);
              new java.net.ServerSocket().bind(any);
            }
            """);
    String agent = "-javaagent:" + SampleApplication.agentJar();
    for (String way : List.of("-Dsluice.nio.static=" + site, "-Dsluice.nio.engine=auto")) {
      Result result = java(agent, way, late.toString());
      assertThat(result.exitCode()).as(way + ": " + result.err()).isZero();
    }
  }

  private void answersFiles(List<String> command, Path source) throws Exception {
    int port = FreePort.find();
    List<String> words = new ArrayList<>(command);
    words.addAll(List.of(source.toString(), Integer.toString(port)));
    Path err = Files.createTempFile(directory, "front", "err");
    ProcessBuilder builder = new ProcessBuilder(words);
    builder.environment().put("SLUICE_JAVA_HOME", System.getProperty("java.home"));
    Process process =
        builder.redirectOutput(ProcessBuilder.Redirect.DISCARD).redirectError(err.toFile()).start();
    try (HttpClient client = HttpClient.newHttpClient()) {
      String line = "files of " + directory.resolve("site") + " are answered in front of ";
      Pattern said = Pattern.compile(Pattern.quote(line) + "\\S*:" + port + ",");
      Await.until(
          "the server", () -> !process.isAlive() || said.matcher(Files.readString(err)).find());
      assertThat(Files.readString(err)).containsPattern(said);
      for (int i = 0; i < 2; i++) {
        assertThat(get(client, port, "/a.txt")).isEqualTo("a file");
        assertThat(get(client, port, "/b.txt")).isEqualTo("\0\0");
      }
    } finally {
      process.destroyForcibly();
    }
  }

  private static String get(HttpClient client, int port, String path) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + port + path);
    return client
        .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
        .body();
  }

  @Test
  void aSignalReachesTheApplication() throws Exception {
    Path out = directory.resolve("out");
    Process process =
        new ProcessBuilder(launcher(), "run", application.jar(), "wait")
            .redirectOutput(out.toFile())
            .redirectError(directory.resolve("err").toFile())
            .start();
    try {
      Await.until(
          "the application",
          () -> !process.isAlive() || Files.readString(out).contains("echo hello"));
      process.destroy();
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isEqualTo(128 + 15);
      assertThat(Files.readString(out)).endsWith("ended\n");
    } finally {
      process.destroyForcibly();
    }
  }

  /// Returns the launcher in a source tree that looks as after a build, with the jars of this
  /// build.
  private String launcher() throws IOException {
    Path tree = directory.resolve("tree");
    Path launcher = tree.resolve("sluice");
    if (Files.exists(launcher)) {
      return launcher.toString();
    }
    Path build = tree.resolve(".sluice/builds/tested");
    Files.createDirectories(build.resolve("lib"));
    Files.createDirectories(build.resolve("nio"));
    for (Path jar : SampleApplication.providerJars()) {
      Files.copy(jar, build.resolve("nio").resolve(jar.getFileName()));
    }
    Files.copy(SampleApplication.agentJar(), build.resolve("sluice-agent.jar"));
    Files.copy(SourceTree.find().root().resolve("sluice"), launcher);
    Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.writeString(tree.resolve("pom.xml"), "<project/>");
    for (String module : shipped(Files.readString(launcher))) {
      Files.createDirectories(tree.resolve(module + "/src/main"));
      Files.writeString(tree.resolve(module + "/pom.xml"), "<project/>");
    }
    Files.writeString(tree.resolve(".sluice/current"), "tested\n");
    return launcher.toString();
  }

  /// Returns the modules whose sources the launcher compares with the build.
  private static List<String> shipped(String launcher) {
    String line = launcher.lines().filter(l -> l.startsWith("SHIPPED=")).findFirst().orElseThrow();
    return List.of(line.substring(line.indexOf('"') + 1, line.lastIndexOf('"')).split(" "));
  }

  private static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  private Result java(String... words) throws Exception {
    List<String> command = new ArrayList<>(List.of(java()));
    command.addAll(List.of(words));
    return run(Map.of(), command.toArray(new String[0]));
  }

  private Result run(Map<String, String> environment, String... command) throws Exception {
    Path log = Files.createTempDirectory(directory, "run");
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().remove("JDK_JAVA_OPTIONS");
    builder.environment().remove("SLUICE_JAVA_OPTS");
    builder.environment().put("SLUICE_JAVA_HOME", System.getProperty("java.home"));
    builder.environment().putAll(environment);
    builder.redirectOutput(log.resolve("out").toFile());
    builder.redirectError(log.resolve("err").toFile());
    Process process = builder.start();
    try {
      assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    return new Result(
        process.exitValue(),
        Files.readString(log.resolve("out")),
        Files.readString(log.resolve("err")));
  }
}
