package sluice.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.testkit.Await;
import sluice.testkit.Slice;

/// A stock Linux kernel in qemu mounts an image that `sluice nfs` exports, and works in it: see
/// `linux-client.sh` and its guest's script, which names the stages. Each run of fsx has another
/// seed, of which a [Slice] is run.
@Tag("acceptance")
@Timeout(value = 25, unit = TimeUnit.MINUTES)
class LinuxClientTest {
  private static final Path TARGET = Path.of("target", "linux-client").toAbsolutePath();
  private static final Path SCRIPT = Path.of("linux-client.sh").toAbsolutePath();
  private static final String GUEST = "/sluice/acceptance/linux-client-guest.sh";

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
      run(SCRIPT.toString(), "make", TARGET.toString());
    }
    String given = System.getenv("SLUICE_FS_SUITES");
    Path suites = given == null ? Path.of("target", "fs-suites") : Path.of(given);
    run("./fs-suites.sh", suites.toString());
    for (String program : List.of("pjdfstest", "fsx")) {
      Files.copy(
          suites.resolve("bin").resolve(program),
          TARGET.resolve("bin").resolve(program),
          StandardCopyOption.REPLACE_EXISTING);
    }
    if (!Files.exists(TARGET.resolve("repository"))) {
      String here = Path.of("..").toRealPath().toUri().toString();
      String there = TARGET.resolve("repository").toString();
      run("git", "clone", "-q", "--bare", "--depth", "1", here, there);
    }
  }

  private static void run(String... words) throws Exception {
    assertThat(new ProcessBuilder(words).inheritIO().start().waitFor())
        .as(String.join(" ", words))
        .isZero();
  }

  /// One stage's end.
  ///
  /// @param code 0 when it went well
  private record Result(int code, double seconds) {}

  @ParameterizedTest
  @ValueSource(strings = {"3", "4.1"})
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
    NfsProcess server = first;
    int port = server.port();
    Files.writeString(
        TARGET.resolve("settings"),
        "PORT=%d%nVERSION=%s%nSTAGES='%s'%nSEEDS='%s'%n"
            .formatted(port, version, System.getProperty("sluice.client.stages", ALL), seeds()));
    try (var guest = LinuxClientTest.class.getResourceAsStream(GUEST)) {
      Files.copy(guest, TARGET.resolve("script"), StandardCopyOption.REPLACE_EXISTING);
    }
    List<String> console = new ArrayList<>();
    Map<String, Result> results = new HashMap<>();
    Process qemu =
        new ProcessBuilder(
                SCRIPT.toString(), "run", TARGET.toString(), TARGET.resolve("script").toString())
            .redirectErrorStream(true)
            .start();
    try (BufferedReader lines = qemu.inputReader(StandardCharsets.ISO_8859_1)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String text = line.strip();
        console.add(text);
        System.out.println("guest: " + text);
        String[] words = text.split(" ", -1);
        if (text.startsWith("RESULT ") && words.length == 4) {
          results.put(
              words[1], new Result(Integer.parseInt(words[2]), Double.parseDouble(words[3])));
        }
        if (text.equals("COPYING")) {
          server.kill();
          server = NfsProcess.start(image, port, TARGET);
        }
      }
    } finally {
      qemu.descendants().forEach(ProcessHandle::destroyForcibly);
      int _ = Await.end(qemu.destroyForcibly());
      server.stop();
    }
    judge(version, console, results);
  }

  private static String seeds() {
    return Slice.current().seeds(SEEDS).mapToObj(Long::toString).collect(Collectors.joining(" "));
  }

  private static void judge(String version, List<String> console, Map<String, Result> results) {
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
