package sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.bench.cases.BenchCase;
import sluice.bench.run.Commands;
import sluice.bench.run.LoadGenerator;
import sluice.bench.run.LoadResult;
import sluice.bench.run.LoadSpec;
import sluice.bench.run.Server;
import sluice.bench.run.ServerSpec;
import sluice.bench.run.Systems;
import sluice.bench.run.Workspace;

/// The servers of `bench mix` that need no provider of ours, and those of `bench handler`: every
/// body is compared.
@Timeout(600)
final class FrontServersTest {
  private static final int MOST_SECONDS = 20;

  private @Nullable Workspace opened;

  @BeforeEach
  void open() throws IOException {
    assumeThat(Commands.find("gcc")).as("gcc, which compiles the load generator").isNotNull();
    assumeThat(Commands.find("taskset")).as("taskset (util-linux), which pins it").isNotNull();
    opened = Workspace.open();
  }

  @AfterEach
  void close() {
    if (opened != null) {
      opened.close();
    }
  }

  private Workspace workspace() {
    return Objects.requireNonNull(opened);
  }

  /// For a second, and for longer where a busy machine has not come to requests of all kinds.
  private LoadResult load(
      BenchCase benchCase, String system, Path root, LoadSpec load, String... kinds)
      throws IOException {
    ServerSpec spec = benchCase.peers().spec(new Systems(workspace()), system, root);
    try (Server server = Server.start(spec, 0, workspace().temporary("server.log"))) {
      LoadGenerator generator = new LoadGenerator(workspace(), 0, false);
      for (int seconds = 1; ; seconds *= 3) {
        LoadGenerator.Run run = LoadGenerator.Run.of(0.2, seconds).checkingBodies();
        LoadResult result = generator.run(server, load, run);
        if (seconds > MOST_SECONDS || result.values().keySet().containsAll(List.of(kinds))) {
          return result;
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"tomcat, alone", "tomcat, nginx", "jetty, alone", "jetty, nginx"})
  void filesAndApplicationAnswerWithTheirBytes(String app, String system, @TempDir Path root)
      throws IOException {
    assumeThat(Systems.missing(system)).isNull();
    BenchCase mixed =
        MixCases.all().stream().filter(c -> c.name().equals(app + " mix")).findAny().orElseThrow();
    Path requests = MixCases.mix(ClassMix.write(root), 0.7, workspace().temporary("mix"));
    LoadSpec wanted = LoadSpec.http(8, 1, requests);
    LoadResult result = load(mixed, system, root, wanted, "files_requests", "dynamic_requests");
    assertThat(result.value("files_requests")).isPositive();
    assertThat(result.value("dynamic_requests")).isPositive();
    assertThat(result.value("status_2xx")).isEqualTo(result.value("requests"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sluice/inline",
        "sluice/long-ones-handed-off",
        "sluice/virtual-threads",
        "sluice/pool"
      })
  void handlersSpinWhereTheyShould(String system, @TempDir Path root) throws IOException {
    BenchCase spinning =
        HandlerCases.all().stream()
            .filter(c -> HandlerCases.micros(c.name()) == 500)
            .findAny()
            .orElseThrow();
    Path requests = HandlerCases.mix(workspace().temporary("mix"));
    LoadSpec wanted = LoadSpec.http(8, 2, requests);
    LoadResult result = load(spinning, system, root, wanted, "ordinary_requests", "long_p50_us");
    assertThat(result.value("ordinary_requests")).isPositive();
    assertThat(result.value("long_p50_us")).isGreaterThanOrEqualTo(500);
  }
}
