package sluice.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfEnvironmentVariable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import sluice.testbase.Slice;

/// A stock Linux kernel in qemu mounts an image that `sluice nfs` exports, and works in it: see
/// [LinuxGuest] and its guest's script, which names the stages. Each run of fsx has another seed,
/// of which a [Slice] is run.
@Tag("acceptance")
@Timeout(value = 25, unit = TimeUnit.MINUTES)
@DisabledIfEnvironmentVariable(
    named = "SLUICE_TURN",
    matches = "[^3]",
    disabledReason = "in continuous integration this suite has every seventh day")
class LinuxClientTest {
  private static final Path TARGET = Path.of("target", "linux-client").toAbsolutePath();
  private static final LinuxGuest MACHINE = new LinuxGuest(TARGET);

  /// Runs of fsx that there are, 5000 operations each.
  private static final int SEEDS = 7;

  /// What no server of NFSv3 can do: keep a file that has no name. Clients rename it instead.
  private static final String SILLY_RENAME = "unlink::open_file_not_freed";

  private static final String ALL = "listing basic fsx pjd clone build survive";

  /// The machine, and what it works with: suites, a source package, a repository.
  @BeforeAll
  static void makeTheMachine() throws Exception {
    Files.createDirectories(TARGET.resolve("bin"));
    if (!Files.exists(TARGET.resolve("source.tar.gz"))) {
      MACHINE.prepare("make");
      MACHINE.prepare("source");
    }
    String given = System.getenv("SLUICE_FS_SUITES");
    Path suites = given == null ? Path.of("target", "fs-suites") : Path.of(given);
    LinuxGuest.fetch(List.of("./fs-suites.sh", suites.toString()));
    for (String program : List.of("pjdfstest", "fsx")) {
      Files.copy(
          suites.resolve("bin").resolve(program),
          TARGET.resolve("bin").resolve(program),
          StandardCopyOption.REPLACE_EXISTING);
    }
    makeTheRepository(TARGET.resolve("repository"));
  }

  /// Of this project's files, wherever they come from.
  private static void makeTheRepository(Path directory) throws Exception {
    if (Files.exists(directory.resolve("complete"))) {
      return;
    }
    String script =
        """
        set -e
        rm -rf "$1"
        git init -q --bare "$1"
        git="git --git-dir=$1 --work-tree=. -c user.name=Test -c user.email=test@localhost"
        $git add --all .
        $git commit -q -m 'The files of a build'
        touch "$1/complete"
        """;
    List<String> words = List.of("sh", "-c", script, "sh", directory.toString());
    ProcessBuilder git = new ProcessBuilder(words).directory(Path.of("..").toFile()).inheritIO();
    git.environment().keySet().removeIf(name -> name.startsWith("GIT_"));
    assertThat(git.start().waitFor()).as("git").isZero();
  }

  /// One version of the protocol a day, or both in a run of everything.
  static Stream<String> versions() {
    Slice slice = Slice.current();
    List<String> all = List.of("3", "4.1");
    return slice.count() == 1 ? all.stream() : Stream.of(all.get(slice.index() % all.size()));
  }

  @ParameterizedTest
  @MethodSource("versions")
  void aLinuxKernelWorksInWhatWeExport(String version) throws Exception {
    Path image = TARGET.resolve("image-" + version);
    LinuxClientImage.make(image);
    NfsProcess server = NfsProcess.start(image, 0, TARGET);
    try {
      work(version, server, image);
    } finally {
      server.kill();
    }
    LinuxClientImage.check(image);
  }

  private static void work(String version, NfsProcess first, Path image) throws Exception {
    NfsProcess[] server = {first};
    int port = first.port();
    String settings =
        "PORT=%d%nVERSION=%s%nSTAGES='%s'%nSEEDS='%s'%n"
            .formatted(port, version, System.getProperty("sluice.client.stages", ALL), seeds());
    LinuxGuest.Console console;
    try {
      console =
          MACHINE.run(
              "linux-client-guest.sh",
              settings,
              1,
              Duration.ofMinutes(24),
              line -> {
                if (line.equals("COPYING")) {
                  server[0].kill();
                  server[0] = NfsProcess.start(image, port, TARGET);
                }
              });
    } finally {
      server[0].stop();
    }
    judge(version, console.lines(), console.results());
  }

  private static String seeds() {
    return Slice.current().seeds(SEEDS).mapToObj(Long::toString).collect(Collectors.joining(" "));
  }

  private static void judge(
      String version, List<String> console, Map<String, LinuxGuest.Result> results) {
    assertThat(results).as(String.join("\n", console)).containsKey("umount");
    results.forEach((stage, result) -> assertThat(result.code()).as(stage).isZero());
    String times =
        console.stream()
            .filter(line -> line.startsWith("TIME "))
            .map(line -> line.substring(5))
            .collect(Collectors.joining("; "));
    System.out.printf("by NFS %s, ls -l of 20 000 files, seconds: %s%n", version, times);
    if (results.containsKey("pjd")) {
      List<String> said = console.stream().filter(line -> line.startsWith("PJD ")).toList();
      assertThat(PjdSummary.of(said).passed())
          .as(String.join("\n", said))
          .isGreaterThanOrEqualTo(version.equals("3") ? 354 : 350);
      assertThat(PjdSummary.failures(said)).hasSize(PjdSummary.of(said).failed());
      if (version.equals("3")) {
        assertThat(PjdSummary.failures(said)).isSubsetOf(SILLY_RENAME);
      }
    }
  }
}
