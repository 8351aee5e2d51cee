package sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.io.StringReader;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.xml.sax.InputSource;
import sluice.bench.cases.CaseResult;
import sluice.bench.cases.Table;
import sluice.bench.run.Json;
import sluice.bench.run.LoadResult;
import sluice.bench.run.Series;
import sluice.bench.run.ThreadSwitches;
import sluice.bench.run.Timeline;

/// Runs over time: what is read out of the kernel's files and the JVM's log, and how it is drawn.
@Timeout(600)
final class TimelineTest {
  private static final String LOG =
      """
      [900000000ns] Using Serial
      [1000500000ns] GC(0) Pause Young (Allocation Failure) 4M->1M(15M) 0.750ms
      [1050000000ns] GC(1) Pause Young (Allocation Failure) 4M->1M(15M) 2.500ms
      [1180000000ns] GC(2) Concurrent Mark Cycle 60,125ms
      [1190000000ns] GC(3) Pause Full (System.gc()) 4M->1M(15M) 9.000ms
      [1250000000ns] GC(4) Pause Young (Allocation Failure) 4M->1M(15M) 1.000ms
      """;

  private static Timeline timeline() {
    LoadResult result =
        LoadResult.parse("{\"start_ms\":1000,\"slice_ms\":100,\"slices\":[500,250]}");
    List<ThreadSwitches.Sample> samples =
        List.of(
            new ThreadSwitches.Sample(950, 100, 0),
            new ThreadSwitches.Sample(1050, 200, 0),
            new ThreadSwitches.Sample(1150, 200, 8),
            new ThreadSwitches.Sample(1250, 240, 8));
    return Timeline.of(result, samples, LOG);
  }

  @Test
  void collectionsAreThoseUnderWayInTheRun() {
    List<Timeline.Collection> collections = timeline().collections();
    assertThat(collections.stream().map(Timeline.Collection::what))
        .containsExactly(
            "Pause Young (Allocation Failure)",
            "Pause Young (Allocation Failure)",
            "Concurrent Mark Cycle",
            "Pause Full (System.gc())");
    assertThat(collections.getFirst().atMillis()).isCloseTo(-0.25, within(1e-9));
    assertThat(collections.get(1).atMillis()).isCloseTo(47.5, within(1e-9));
    assertThat(collections.get(2).millis()).isEqualTo(60.125);
    assertThat(Timeline.collections("", 0, 1e9)).isEmpty();
  }

  @Test
  void switchesAreCutAtTheEndsOfSlices() {
    assertThat(timeline().voluntary()).containsExactly(50.0, 20.0);
    assertThat(timeline().involuntary()).containsExactly(4.0, 4.0);
    assertThat(ThreadSwitches.at(List.of(), 5)).containsExactly(0, 0);
    List<ThreadSwitches.Sample> one = List.of(new ThreadSwitches.Sample(7, 3, 4));
    assertThat(ThreadSwitches.at(one, 5)).containsExactly(3, 4);
    assertThat(ThreadSwitches.at(one, 9)).containsExactly(3, 4);
  }

  @Test
  void switchesAreReadFromTheStatusOfAThread() throws IOException {
    String status = "Name:\tloop\nvoluntary_ctxt_switches:\t12\nnonvoluntary_ctxt_switches:\t3\n";
    assertThat(ThreadSwitches.parse(status)).containsExactly(12, 3);
    assertThatThrownBy(() -> ThreadSwitches.parse("Name:\tloop\n"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("loop");
  }

  @Test
  void aThreadThatSleepsIsSwitched() throws InterruptedException {
    ThreadSwitches switches = ThreadSwitches.start(List.of(ProcessHandle.current().pid()), 5);
    try (switches) {
      for (int i = 0; i < 100; i++) { // a late end may pass without a switch
        Thread.sleep(1);
      }
    }
    List<ThreadSwitches.Sample> samples = switches.samples();
    assertThat(samples).hasSizeGreaterThanOrEqualTo(2);
    assertThat(samples.getLast().voluntary()).isGreaterThanOrEqualTo(30);
    for (int i = 1; i < samples.size(); i++) {
      assertThat(samples.get(i).millis()).isGreaterThanOrEqualTo(samples.get(i - 1).millis());
      assertThat(samples.get(i).voluntary()).isGreaterThanOrEqualTo(samples.get(i - 1).voluntary());
    }
  }

  @Test
  void aServerThatEndedIsNoError() {
    ThreadSwitches switches = ThreadSwitches.start(List.of(Long.MAX_VALUE), 1000);
    switches.close();
    switches.close();
    assertThat(switches.samples()).isNotEmpty().allMatch(sample -> sample.voluntary() == 0);
  }

  @Test
  void resultsHaveTheSlices() {
    Series series = new Series("sluice/io_uring", false);
    series.addRound(Map.of("rps", 3750.0));
    series.over(timeline());
    CaseResult result = new CaseResult("nfs", "timeline getattr", List.of(series), Map.of());
    String line = Json.write(result.lines(false).getFirst());
    assertThat(line)
        .contains("\"slice_ms\":100,\"replies\":[500,250]")
        .contains("\"voluntary_switches\":[50,20],\"involuntary_switches\":[4,4]")
        .contains("{\"at_ms\":47.5,\"ms\":2.5,\"what\":\"Pause Young (Allocation Failure)\"}");
    assertThat(Table.render(result))
        .contains("2 slices of 100 ms, median 3,750/s, least 2,500/s; 4 collections")
        .contains("longest 60.1 ms; switches a second: 350 voluntary, 40 involuntary");
  }

  @Test
  void runsAreDrawnAboveTheBars() throws Exception {
    Series ours = new Series("sluice/io_uring", false);
    ours.addRound(Map.of("cpu_ns_per_req", 900.0));
    ours.over(timeline());
    Series empty = new Series("c-null", false);
    empty.addRound(Map.of("cpu_ns_per_req", 800.0));
    empty.over(new Timeline(100, List.of(), List.of(), List.of(), List.of()));
    Series bar = new Series("ganesha", false);
    bar.addRound(Map.of("cpu_ns_per_req", 9000.0));
    CaseResult run = new CaseResult("nfs", "timeline <x>", List.of(ours, empty), Map.of());
    CaseResult bars = new CaseResult("nfs", "getattr", List.of(bar), Map.of());
    String svg = Benches.named("nfs").plot(List.of(run, bars), "a machine & a date");
    DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(svg)));
    // the rate and both kinds of switches of two systems
    assertThat(svg.lines().filter(line -> line.startsWith("<polyline"))).hasSize(6);
    // each collection in its lane and behind the rate
    assertThat(svg.lines().filter(line -> line.contains("fill=\"#f6dfe2\""))).hasSize(4);
    assertThat(svg).contains("timeline &lt;x&gt;: sluice/io_uring", "4 collections", ">5,000<");
    assertThat(svg).contains("0 collections", ">ganesha<", "longest 60.1 ms");
  }
}
