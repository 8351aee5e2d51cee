package sluice.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfEnvironmentVariable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import sluice.testbase.Slice;

/// The command, its servers and the tests of what touches the kernel, on an emulated aarch64 with a
/// stock Debian kernel and JDK, with pages of 4 and of 16 KiB by turns: see [LinuxGuest] and its
/// guest's script, which names the stages. What an emulator on x86-64 does not show is where that
/// processor reorders memory accesses that this one keeps in order.
@Tag("acceptance")
@Timeout(value = 60, unit = TimeUnit.MINUTES)
@DisabledIfEnvironmentVariable(
    named = "SLUICE_TURN",
    matches = "[^5]",
    disabledReason = "in continuous integration this suite has every seventh day")
class Aarch64Test {
  private static final Path TARGET = Path.of("target", "aarch64").toAbsolutePath();

  private static final List<String> PACKAGES =
      List.of("libc6", "libgcc-s1", "libstdc++6", "zlib1g", "openjdk-25-jre-headless");

  private static final String TESTS = "/sluice/acceptance/aarch64-tests.txt";

  private static final String ALL = "doctor io_uring epoll suites";

  /// A kernel of Debian: the end of its package's name, and the page size.
  enum Pages {
    LARGE("arm64-16k", 16_384),
    SMALL("arm64", 4096);

    final String kernel;
    final int bytes;

    Pages(String kernel, int bytes) {
      this.kernel = kernel;
      this.bytes = bytes;
    }
  }

  @BeforeAll
  static void isThereAnEmulator() throws Exception {
    String path = System.getenv("PATH") + ":/usr/sbin:/sbin";
    for (String[] need :
        new String[][] {
          {"qemu-system-aarch64", "qemu-system-arm"},
          {"apt-get", "apt, which fetches a kernel and a JDK of Debian"},
          {"depmod", "kmod"},
          {"cpio", "cpio"}
        }) {
      if (Stream.of(path.split(":", -1)).noneMatch(p -> Files.isExecutable(Path.of(p, need[0])))) {
        abort("needs " + need[0] + ": install " + need[1]);
      }
    }
  }

  /// One kernel a day, or both in a run of everything.
  static Stream<Pages> kernels() {
    Slice slice = Slice.current();
    return slice.count() == 1
        ? Stream.of(Pages.values())
        : Stream.of(Pages.values()[slice.index() % 2]);
  }

  @ParameterizedTest
  @MethodSource("kernels")
  void theKernelIsUnderstoodThere(Pages pages) throws Exception {
    LinuxGuest machine = machine(pages);
    String settings =
        "STAGES='%s'%nCLASSES='%s'%nSECONDS_OF_SUITES=%d%n"
            .formatted(ALL, String.join(" ", classes()), Slice.current().count() == 1 ? 7200 : 200);
    LinuxGuest.Console said =
        machine.run("aarch64-guest.sh", settings, 2, Duration.ofMinutes(55), _ -> {});
    assertThat(said.lines())
        .as(said.text())
        .contains("MACHINE aarch64", "PAGE " + pages.bytes, "guest exit 0");
    for (String stage : ALL.split(" ", -1)) {
      LinuxGuest.Result result = said.results().get(stage);
      assertThat(result).as("%s in%n%s", stage, said.text()).isNotNull();
      assertThat(Objects.requireNonNull(result).code()).as(stage).isZero();
    }
    judgeDoctor(said);
    judgeServers(said);
    judgeTests(said);
  }

  private static LinuxGuest machine(Pages pages) throws IOException, InterruptedException {
    Path directory = Files.createDirectories(TARGET.resolve(pages.kernel));
    LinuxGuest machine = new LinuxGuest(directory);
    if (!Files.exists(directory.resolve("complete"))) {
      List<String> words = new ArrayList<>(List.of("arm64", pages.kernel));
      words.addAll(PACKAGES);
      machine.prepare("make", words.toArray(String[]::new));
      Files.createFile(directory.resolve("complete"));
    }
    GuestApplication.write(TARGET.resolve("app"), directory.resolve("app.tar"));
    return machine;
  }

  /// The tests of every day, and this day's of the others.
  private static List<String> classes() throws IOException {
    String given = System.getProperty("sluice.aarch64.classes");
    if (given != null) {
      return List.of(given.split(",", -1));
    }
    List<String> daily = new ArrayList<>();
    List<String> others = new ArrayList<>();
    List<String> group = daily;
    try (var text = Objects.requireNonNull(Aarch64Test.class.getResourceAsStream(TESTS))) {
      for (String line : new String(text.readAllBytes(), StandardCharsets.UTF_8).lines().toList()) {
        if (line.equals("slices")) {
          group = others;
        } else if (line.startsWith("sluice.")) {
          group.add(line);
        }
      }
    }
    assertThat(daily).isNotEmpty();
    Slice.current().seeds(others.size()).forEach(i -> daily.add(others.get((int) i)));
    return daily;
  }

  /// What the machine offers is found there: the ring passed its self-test.
  private static void judgeDoctor(LinuxGuest.Console said) {
    assertThat(said.lines()).anyMatch(line -> line.matches("DOCTOR .*kernel .* aarch64"));
    assertThat(said.lines())
        .anyMatch(line -> line.matches("DOCTOR .*io_uring .*self-test passed.*"));
  }

  /// No server took another backend than the one it was told to.
  private static void judgeServers(LinuxGuest.Console said) {
    for (String backend : List.of("io_uring", "epoll")) {
      assertThat(said.lines())
          .anyMatch(line -> line.matches("SERVED listening on .*backend: " + backend + ";.*"));
    }
  }

  private static void judgeTests(LinuxGuest.Console said) {
    assertThat(said.lines()).noneMatch(line -> line.startsWith("TEST FAILED"));
    List<String> ended =
        said.lines().stream().filter(line -> line.startsWith("TEST SUCCESSFUL")).toList();
    assertThat(ended).isNotEmpty();
    System.out.printf("on aarch64: %d tests passed%n", ended.size());
  }
}
