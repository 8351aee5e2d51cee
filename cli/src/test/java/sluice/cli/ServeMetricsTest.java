package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.host.SiteServer;
import sluice.loop.counters.Counters;
import sluice.testbase.Child;

/// Tests the metrics of `sluice serve` about its process, its JVM and its build.
@Timeout(240)
final class ServeMetricsTest {
  private static final List<String> PROCESS =
      List.of(
          "process_cpu_seconds_total",
          "process_start_time_seconds",
          "process_resident_memory_bytes",
          "process_virtual_memory_bytes",
          "process_threads",
          "process_open_fds",
          "process_max_fds");

  @TempDir Path directory;

  private String scraped(String accept) throws Exception {
    List<String> words = List.of(directory.toString(), "--port", "0", "--metrics-port", "0");
    try (SiteServer site = SiteServer.start(ServeOptions.parse(words).site, _ -> {});
        Counters counters = Counters.inMemory();
        HttpClient client = HttpClient.newHttpClient()) {
      var _ = site.publishTo(counters, "");
      var at = (InetSocketAddress) site.http().monitoringAddresses().getFirst();
      URI uri = URI.create("http://127.0.0.1:" + at.getPort() + "/metrics");
      HttpRequest request = HttpRequest.newBuilder(uri).header("Accept", accept).build();
      return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
    }
  }

  @Test
  void processJvmAndBuildHaveTheNamesThatDashboardsExpect() throws Exception {
    String text = scraped("text/plain");
    for (String name : PROCESS) {
      assertThat(text).containsPattern("(?m)^" + name + " [0-9.]+$");
    }
    assertThat(text)
        .containsPattern("(?m)^jvm_memory_used_bytes\\{area=\"heap\"} [1-9][0-9]+$")
        .containsPattern("(?m)^jvm_memory_used_bytes\\{area=\"nonheap\"} [1-9][0-9]+$")
        .containsPattern("(?m)^jvm_gc_collection_seconds_count\\{gc=\"[^\"]+\"} [0-9]+$")
        .containsPattern("(?m)^jvm_gc_collection_seconds_sum\\{gc=\"[^\"]+\"} [0-9.]+$")
        .containsPattern("(?m)^jvm_threads_current [1-9][0-9]*$")
        .containsPattern("(?m)^jvm_classes_loaded_total [1-9][0-9]*$")
        .containsPattern(
            "(?m)^sluice_build_info\\{version=\"[^\"]+\",commit=\"[^\"]+\",java=\"25[^\"]*\"} 1$");
  }

  @ParameterizedTest
  @ValueSource(strings = {"text/plain", "application/openmetrics-text"})
  void eachFamilyStandsOnceWithItsMeaning(String accept) throws Exception {
    String text = scraped(accept);
    List<String> types = text.lines().filter(line -> line.startsWith("# TYPE ")).toList();
    assertThat(types.stream().map(line -> line.split(" ", -1)[2]).toList()).doesNotHaveDuplicates();
    List<String> help = text.lines().filter(line -> line.startsWith("# HELP ")).toList();
    assertThat(help).hasSameSizeAs(types).allMatch(line -> line.endsWith("."));
    List<String> samples = text.lines().filter(line -> !line.startsWith("#")).toList();
    assertThat(samples.stream().map(line -> line.substring(0, line.lastIndexOf(' '))).toList())
        .doesNotHaveDuplicates();
  }

  @Test
  void promtoolFindsNothingWrong() throws Exception {
    Path file = Files.writeString(directory.resolve("metrics"), scraped("text/plain"));
    ProcessBuilder promtool = new ProcessBuilder("promtool", "check", "metrics");
    assumeTrue(
        Files.isExecutable(Path.of("/usr/bin/promtool")),
        "promtool is missing: apt-get install prometheus");
    Child child = Child.run(promtool.redirectInput(file.toFile()));
    assertThat(child.output()).isEmpty();
    assertThat(child.exit()).isZero();
  }
}
