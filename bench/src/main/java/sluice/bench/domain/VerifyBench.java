package sluice.bench.domain;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import sluice.bench.cases.CaseResult;
import sluice.bench.run.Harness;

/// Measures the cost of verifying and translating the classes of libraries from Maven Central,
/// beside parsing and checking them with the JDK's own class file API. Used by the harness's main
/// thread.
public final class VerifyBench extends WorkBench {
  static final String VERIFY = "verify";
  static final String TRANSLATE = "translate";

  static final String OURS = "sluice";
  static final String PARSE = "jdk/parse-and-write";
  static final String CHECK = "jdk/verify";
  static final String STORE = "a class from the store";

  private VerifyBench(String name, List<WorkCase> cases) {
    super(name, cases);
  }

  /// Runs the cases. `verify` first prints the share of ten libraries that is accepted.
  @Override
  public void run(Harness harness, Consumer<CaseResult> done) throws IOException {
    if (name().equals(VERIFY)) {
      System.out.print(AdmittedShare.table(harness.workspace().classPath(false)));
    }
    super.run(harness, done);
  }

  /// Returns `sluice bench verify`: one jar at a time.
  public static VerifyBench ofVerifier() {
    return new VerifyBench(
        VERIFY,
        JarClasses.NAMES.stream()
            .map(jar -> new WorkCase(jar, jar.equals("commons-csv"), List.of(OURS, CHECK, PARSE)))
            .toList());
  }

  /// Returns `sluice bench translate`: one jar at a time, and a class from the store.
  public static VerifyBench ofTranslator() {
    List<WorkCase> cases =
        new ArrayList<>(
            JarClasses.NAMES.stream()
                .map(jar -> new WorkCase(jar, jar.equals("commons-csv"), List.of(OURS, PARSE)))
                .toList());
    cases.add(
        new WorkCase(
            STORE,
            true,
            List.of(DomainBench.OURS, DomainBench.DEFINE, DomainBench.COLD, DomainBench.LOADER)));
    return new VerifyBench(TRANSLATE, List.copyOf(cases));
  }
}
