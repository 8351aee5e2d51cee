package sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Path;
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

  private LoadResult load(BenchCase benchCase, String system, Path root, LoadSpec load)
      throws IOException {
    ServerSpec spec = benchCase.peers().spec(new Systems(workspace()), system, root);
    try (Server server = Server.start(spec, 0, workspace().temporary("server.log"))) {
      return new LoadGenerator(workspace(), 0, false)
          .run(server, load, LoadGenerator.Run.of(0.2, 1).checkingBodies());
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
    LoadResult result = load(mixed, system, root, LoadSpec.http(8, 1, requests));
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
    LoadResult result = load(spinning, system, root, LoadSpec.http(8, 2, requests));
    assertThat(result.value("ordinary_requests")).isPositive();
    assertThat(result.value("long_p50_us")).isGreaterThanOrEqualTo(500);
  }
}
