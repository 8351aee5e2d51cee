package sluice.bench.domain;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import sluice.bench.cases.CaseResult;
import sluice.bench.run.Harness;
import sluice.bench.run.Series;

/// Measures the cost of a call through a portal, and of the copies it makes. Used by the harness's
/// main thread.
public final class PortalBench extends WorkBench {
  static final String NAME = "portal";

  static final String CALL = "null call";
  static final String RECORD = "copy of a 64-byte record";
  static final String ORDER = "copy of an order";
  static final String ORDER_CALL = "call with an order";

  static final String FAST = "sluice/caller-thread";
  static final String SERVICE = "sluice/service-thread";
  static final String DOMAINS = "sluice/service-between-domains";
  static final String BUDGETS = "sluice/service-between-budgets";
  static final String WAKES = "wakes-one-carrier";
  static final String PLATFORM_WAKES = "wakes-platform";
  static final String COPY = "sluice/copy";
  static final String DIRECT = "direct";
  static final String BY_HAND = "by-hand";
  static final String KRYO = "kryo";
  static final String FORY = "fory";
  static final String QUEUE = "synchronous-queue";
  static final String EXCHANGER = "exchanger";
  static final String WASM = "chicory";

  private static final Pattern MEGAHERTZ = Pattern.compile("(?m)^cpu MHz\\s*:\\s*([0-9.]+)$");

  private record Row(String system, String machine, double cycles) {}

  /// Golm et al., "The JX Operating System", table 1: a round trip between domains or processes.
  private static final List<Row> PAPER =
      List.of(
          new Row("JX", "PIII, 500 MHz", 650),
          new Row("J-Kernel (LRMI on MS-VM)", "PPro, 200 MHz", 440),
          new Row("L4Ka", "PIII, 450 MHz", 818),
          new Row("Fiasco/L4", "PIII, 450 MHz", 2_610),
          new Row("Alta/KaffeOS", "PII, 300 MHz", 27_270));

  public PortalBench() {
    super(
        NAME,
        List.of(
            new WorkCase(
                CALL,
                true,
                List.of(
                    FAST,
                    SERVICE,
                    DOMAINS,
                    BUDGETS,
                    WAKES,
                    PLATFORM_WAKES,
                    DIRECT,
                    QUEUE,
                    EXCHANGER,
                    WASM)),
            new WorkCase(RECORD, true, List.of(COPY, BY_HAND, KRYO, FORY)),
            new WorkCase(ORDER, true, List.of(COPY, BY_HAND, KRYO, FORY)),
            new WorkCase(ORDER_CALL, false, List.of(FAST, SERVICE, DIRECT))));
  }

  /// Runs the cases, and prints the cycles of the null calls beside those of table 1 of the JX
  /// paper.
  @Override
  public void run(Harness harness, Consumer<CaseResult> done) throws IOException {
    double megahertz = megahertz(Files.readString(Path.of("/proc/cpuinfo")));
    super.run(
        harness,
        result -> {
          done.accept(result);
          if (result.name().equals(CALL) && megahertz > 0) {
            System.out.print(cycles(result, megahertz));
          }
        });
  }

  /// Returns the clock of the first processor, as the kernel reports it; 0 if it does not.
  static double megahertz(String cpuinfo) {
    Matcher line = MEGAHERTZ.matcher(cpuinfo);
    return line.find() ? Double.parseDouble(line.group(1)) : 0;
  }

  static String cycles(CaseResult result, double megahertz) {
    StringBuilder out = new StringBuilder();
    out.append("cycles of a call and return without arguments\n");
    for (Series series : result.series()) {
      Double nanos = series.control() ? null : series.medians().get(WorkCase.METRIC);
      if (nanos != null) {
        String where = "here, %.0f MHz".formatted(megahertz);
        line(out, series.label(), where, nanos * megahertz / 1e3);
      }
    }
    PAPER.forEach(row -> line(out, row.system(), row.machine(), row.cycles()));
    return out.toString();
  }

  private static void line(StringBuilder out, String system, String machine, double cycles) {
    out.append(String.format(Locale.ROOT, "  %-34s %-20s %9.0f%n", system, machine, cycles));
  }
}
