package sluice.bench.domain;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.DoubleStream;
import sluice.bench.cases.CaseResult;
import sluice.bench.run.Harness;
import sluice.bench.run.PairedRatio;
import sluice.bench.run.Series;

/// Measures the cost of creating and ending a domain, and the cost of its gates for the code
/// inside. Used by the harness's main thread.
public final class DomainBench extends WorkBench {
  static final String NAME = "domain";

  static final String CREATE = "create an empty domain";
  static final String END = "end a domain that loops";
  static final String LOAD = "a class from the store";
  static final String NEIGHBOUR = "calls beside a domain that loops";
  static final String KERNEL = "kernel ";
  static final String BESIDE = "neighbour beside ";

  static final String OURS = "sluice/domain";
  static final String COLD = "sluice/without-store";
  static final String KILLS = "sluice/one-kill-a-second";
  static final String NO_KILL = "sluice/no-kill";
  static final String ALONE = "sluice/alone";
  static final String ONE = "sluice/one-hog";
  static final String MANY = "sluice/more-hogs-than-processors";
  static final String PLATFORM_ALONE = WorkProcess.WITHOUT_CARRIERS + "alone";
  static final String PLATFORM_ONE = WorkProcess.WITHOUT_CARRIERS + "one-hog";
  static final String PLATFORM_MANY = WorkProcess.WITHOUT_CARRIERS + "more-hogs-than-processors";
  static final String LOADER = "class-loader";
  static final String DEFINE = "jvm/define-class";
  static final String GATES = "sluice/gates";
  static final String METERED = "sluice/metered";
  static final String PLAIN = "plain";

  public DomainBench() {
    super(NAME, cases());
  }

  private static List<WorkCase> cases() {
    List<WorkCase> cases = new ArrayList<>();
    cases.add(new WorkCase(CREATE, true, List.of(OURS, LOADER)));
    cases.add(new WorkCase(END, true, List.of(OURS)));
    cases.add(new WorkCase(LOAD, true, List.of(OURS, DEFINE, COLD, LOADER)));
    cases.add(new WorkCase(NEIGHBOUR, false, List.of(KILLS, NO_KILL)));
    for (String hog : DomainHogs.KINDS.keySet()) {
      cases.add(
          new WorkCase(
              BESIDE + hog,
              hog.equals("loop"),
              List.of(ONE, MANY, ALONE, PLATFORM_ONE, PLATFORM_MANY, PLATFORM_ALONE)));
    }
    for (String kernel : DomainWorks.KERNELS.keySet()) {
      boolean quick = kernel.equals("json");
      cases.add(new WorkCase(KERNEL + kernel, quick, List.of(GATES, METERED, PLAIN)));
    }
    return List.copyOf(cases);
  }

  @Override
  public void run(Harness harness, Consumer<CaseResult> done) throws IOException {
    List<CaseResult> kernels = new ArrayList<>();
    super.run(
        harness,
        result -> {
          done.accept(result);
          if (result.name().startsWith(KERNEL)) {
            kernels.add(result);
          }
        });
    for (String system : List.of(GATES, METERED)) {
      double[] ratios =
          kernels.stream().flatMapToDouble(result -> beside(result, system)).toArray();
      if (ratios.length > 0) {
        double mean = Math.exp(DoubleStream.of(ratios).map(Math::log).average().orElseThrow());
        System.out.println(
            String.format(
                Locale.ROOT,
                "%s beside plain code, %d kernels: geometric mean %.3f, worst %.3f",
                system,
                ratios.length,
                mean,
                DoubleStream.of(ratios).max().orElseThrow()));
      }
    }
  }

  /// Returns the median of the paired ratios of a system and plain code, if both were measured.
  private static DoubleStream beside(CaseResult result, String system) {
    Series ours = null;
    Series plain = null;
    for (Series series : result.series()) {
      if (!series.control() && series.label().equals(system)) {
        ours = series;
      } else if (series.label().equals(PLAIN)) {
        plain = series;
      }
    }
    PairedRatio ratio =
        ours == null || plain == null ? null : CaseResult.ratio(ours, plain, WorkCase.METRIC);
    return ratio == null ? DoubleStream.empty() : DoubleStream.of(ratio.ratio());
  }
}
