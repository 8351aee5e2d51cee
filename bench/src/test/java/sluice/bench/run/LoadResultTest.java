package sluice.bench.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Map;
import org.junit.jupiter.api.Test;

final class LoadResultTest {
  private static final String PRINTED =
      """
      {"requests":1000,"seconds":0.5,"wire_bytes":2000000,"body_bytes":1500000,"client_cpu":0.9,
      "unserved_connections":0,"p50_us":10,"p99_us":20,"p999_us":30,"max_us":40,
      "snapshots":[{"file":"/c/cpuacct.usage","before":"1000\\u000a","after":"4001000\\u000a"},
      {"file":"/proc/stat","before":"cpu  1 0 0 9 0 0 0 0","after":"cpu  2 0 0 9 0 0 0 0"},
      {"file":"/a","before":"7","after":"9"}]}
      """;

  @Test
  void dividesByRequests() {
    Map<String, Double> metrics = LoadResult.parse(PRINTED).metrics(0);
    assertThat(metrics)
        .containsEntry("cpu_ns_per_req", 4000.0)
        .containsEntry("machine_ns_per_req", 10_000.0)
        .containsEntry("rps", 2000.0)
        .containsEntry("mb_per_s", 4.0)
        .containsEntry("p999_us", 30.0)
        .containsEntry("client_cpu", 0.9);
    assertThat(metrics.get("server_cpu")).isCloseTo(0.008, within(1e-9));
  }

  @Test
  void countsLargeRepliesByTheirBytes() {
    assertThat(LoadResult.parse(PRINTED).metrics(1_000_000))
        .containsEntry("cpu_ns_per_req", 4_000_000 / 1.5)
        .containsEntry("rps", 3.0);
  }

  @Test
  void keepsOtherFiles() {
    LoadResult result = LoadResult.parse(PRINTED);
    assertThat(result.snapshotText("/a", false)).isEqualTo("7");
    assertThat(result.snapshotText("/a", true)).isEqualTo("9");
    assertThat(result.snapshotText("/b", true)).isEmpty();
  }

  @Test
  void slicesAreNoSnapshots() {
    LoadResult result =
        LoadResult.parse("{\"start_ms\":12.5,\"slice_ms\":100,\"slices\":[7,0],\"snapshots\":[]}");
    assertThat(result.slices()).containsExactly(7.0, 0.0);
    assertThat(result.snapshots()).isEmpty();
    assertThat(LoadResult.parse(PRINTED).slices()).isEmpty();
  }

  @Test
  void aProlongedWindowSaysSo() {
    assertThat(LoadResult.parse(PRINTED).metrics(0)).doesNotContainKey(Series.PROLONGED);
    String prolonged = PRINTED.replace("{\"requests\"", "{\"prolonged\":1,\"requests\"");
    assertThat(LoadResult.parse(prolonged).metrics(0)).containsEntry(Series.PROLONGED, 1.0);
  }

  @Test
  void missesWhatIsMissing() {
    assertThatThrownBy(() -> LoadResult.parse("{\"seconds\":1}").metrics(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("requests");
  }
}
