package sluice.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;
import sluice.testbase.Child;

/// The packages of `packaging/build.sh`, each used from its file alone: the archive and the Debian
/// package in a fresh Debian, the image by podman. The scripts of `acceptance/packages` say what is
/// tried.
///
/// Packages are made here from the jars of this build, as `sluice package` makes them from its own.
@Tag("acceptance")
@Timeout(value = 20, unit = TimeUnit.MINUTES)
@DisabledIfEnvironmentVariable(
    named = "SLUICE_TURN",
    matches = "[^46]",
    disabledReason = "in continuous integration packages have two days of seven")
class PackagesTest {
  private static final Path TARGET = Path.of("target", "packages").toAbsolutePath();
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Path SCRIPTS = Path.of("packages").toAbsolutePath();
  private static final String JDK = System.getProperty("java.home");
  private static final Path MADE = TARGET.resolve("made");

  /// Of the Debian that the archive and the Debian package share.
  private static final Path DEBIAN = TARGET.resolve("debian.tar");

  private static final String APPLICATION =
      """
      public class Application {
        public static void main(String[] arguments) {
          System.out.println("java.home is " + System.getProperty("java.home"));
        }
      }
      """;

  private static final String NEEDY =
      """
      public class Needy {
        public static void main(String[] arguments) {
          System.out.println(java.sql.Connection.class);
        }
      }
      """;

  private static final String PLUGIN =
      """
      import sluice.http.plugin.*;
      public class Plugin implements HttpPlugin {
        public PluginReply handle(PluginRequest request) {
          return PluginReply.text("hello from a plug-in");
        }
      }
      """;

  private static final String NEEDY_PLUGIN =
      """
      import sluice.http.plugin.*;
      public class NeedyPlugin implements HttpPlugin {
        public NeedyPlugin() {
          System.out.println(java.sql.Connection.class);
        }
        public PluginReply handle(PluginRequest request) {
          return PluginReply.text("");
        }
      }
      """;

  @TempDir static Path samples;

  @BeforeAll
  static void packages() throws Exception {
    assumeTrue(System.getProperty("user.name", "").equals("root"), "needs root, for namespaces");
    assumeTrue(
        System.getProperty("os.arch", "").equals("amd64"), "packages are tried on x86-64 alone");
    for (String tool :
        List.of("dpkg-deb", "lintian", "mmdebstrap", "podman", "strip", "systemd-analyze")) {
      String path = System.getenv("PATH") + ":/usr/sbin:/sbin";
      assumeTrue(
          Stream.of(path.split(":", -1)).anyMatch(each -> Files.exists(Path.of(each, tool))),
          "needs " + tool + " (apt-get install; .ci/run names the packages)");
    }
    sample("application", "Application", APPLICATION, true);
    sample("needy", "Needy", NEEDY, true);
    sample("plugin", "Plugin", PLUGIN, false);
    sample("needy-plugin", "NeedyPlugin", NEEDY_PLUGIN, false);
    make(MADE);
  }

  /// Stages the jars of the reactor, as the launcher does, and makes all packages.
  private static void make(Path output) throws Exception {
    Path staged = TARGET.resolve("staged");
    run("rm", "-rf", staged.toString(), output.toString());
    Files.createDirectories(staged.resolve("lib"));
    Files.createDirectories(staged.resolve("nio"));
    copy(ROOT.resolve("cli/target"), "sluice-cli-[0-9.]+\\.jar", staged.resolve("lib"));
    copy(ROOT.resolve("cli/target/lib"), ".*\\.jar", staged.resolve("lib"));
    copy(ROOT.resolve("nio/target"), "sluice-nio-[0-9.]+\\.jar", staged.resolve("nio"));
    copy(ROOT.resolve("nio/target"), "sluice-nio-.*-agent\\.jar", staged);
    try (Stream<Path> agents =
        Files.list(staged).filter(each -> each.toString().endsWith(".jar"))) {
      Files.move(agents.findFirst().orElseThrow(), staged.resolve("sluice-agent.jar"));
    }
    ProcessBuilder builder =
        new ProcessBuilder(
            ROOT.resolve("packaging/build.sh").toString(), "--output", output.toString());
    builder.environment().put("JDK", JDK);
    builder.environment().put("APP", staged.toString());
    run(builder);
  }

  private static void copy(Path from, String names, Path to) throws IOException {
    try (Stream<Path> files = Files.list(from)) {
      for (Path file :
          files.filter(each -> each.getFileName().toString().matches(names)).toList()) {
        Files.copy(file, to.resolve(file.getFileName()));
      }
    }
  }

  private static void sample(String jar, String name, String source, boolean isProgram)
      throws IOException {
    Path directory = Files.createDirectories(samples.resolve(jar));
    Path file = Files.writeString(directory.resolve(name + ".java"), source);
    String path = Child.classPath();
    int code =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "-d", directory.toString(), "-cp", path, file.toString());
    assertThat(code).isZero();
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    if (isProgram) {
      manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, name);
    }
    try (JarOutputStream out =
        new JarOutputStream(Files.newOutputStream(samples.resolve(jar + ".jar")), manifest)) {
      out.putNextEntry(new JarEntry(name + ".class"));
      Files.copy(directory.resolve(name + ".class"), out);
      if (!isProgram) {
        out.putNextEntry(new JarEntry("META-INF/services/sluice.http.plugin.HttpPlugin"));
        out.write(name.getBytes(StandardCharsets.UTF_8));
      }
    }
  }

  @Test
  void twoBuildsGiveEqualBytes() throws Exception {
    Path again = TARGET.resolve("again");
    make(again);
    Path sums = again.resolve("SHA256SUMS");
    assertThat(Files.readAllLines(sums)).hasSize(3);
    assertThat(sums).hasSameTextualContentAs(MADE.resolve("SHA256SUMS"));
  }

  @Test
  void theArchiveRunsAllCommandsWithoutAJava() throws Exception {
    script(
        "all of the archive works",
        "archive.sh",
        made("tar.gz"),
        samples.toString(),
        JDK,
        DEBIAN.toString(),
        TARGET.toString());
  }

  @Test
  void theDebianPackageIsInstalledUpgradedRemovedAndPurged() throws Exception {
    script(
        "all of the Debian package works",
        "deb.sh",
        made("deb"),
        DEBIAN.toString(),
        TARGET.toString());
  }

  @Test
  void theImageServesUnprivilegedUnderTheDefaultProfile() throws Exception {
    script(
        "all of the image works",
        "image.sh",
        made("tar"),
        TARGET.toString(),
        samples.resolve("needy.jar").toString());
  }

  private static String made(String suffix) throws IOException {
    try (Stream<Path> files = Files.list(MADE)) {
      return files
          .map(Path::toString)
          .filter(each -> each.endsWith("." + suffix))
          .findFirst()
          .orElseThrow();
    }
  }

  private static void script(String last, String name, String... arguments) throws Exception {
    List<String> words = new ArrayList<>(List.of(SCRIPTS.resolve(name).toString()));
    words.addAll(List.of(arguments));
    assertThat(run(words.toArray(String[]::new))).endsWith(last + "\n");
  }

  private static String run(String... words) throws Exception {
    return run(new ProcessBuilder(words));
  }

  /// Returns what a program printed, which must succeed.
  private static String run(ProcessBuilder builder) throws Exception {
    Path log = Files.createDirectories(TARGET).resolve("run.log");
    Process process =
        builder
            .redirectErrorStream(true)
            .redirectInput(Path.of("/dev/null").toFile())
            .redirectOutput(log.toFile())
            .start();
    if (!process.waitFor(10, TimeUnit.MINUTES)) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
      throw new AssertionError(builder.command() + " did not end: " + Files.readString(log));
    }
    String printed = Files.readString(log);
    assertThat(process.exitValue()).as("%s: %s", builder.command(), printed).isZero();
    return printed;
  }
}
