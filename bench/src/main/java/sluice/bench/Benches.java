package sluice.bench;

import java.util.List;

/// All benches. Stateless.
final class Benches {
  /// In the order of `--list`.
  static final List<Bench> ALL =
      List.of(
          new CaseBench("echo", BenchCase::echoCases),
          new CaseBench("http", BenchCase::httpCases),
          new CaseBench("idle", BenchCase::idleCases),
          new CaseBench("files", BenchCase::fileCases),
          new CaseBench("poller", BenchCase::pollerCases),
          new NfsBench(),
          new SelectorBench(),
          new ChurnBench(),
          new PetStoreBench(),
          new IozoneBench(),
          new StartBench(),
          new FuseBench());

  private Benches() {}

  /// @throws IllegalArgumentException when there is none of that name, for the user to read
  static Bench named(String name) {
    for (Bench bench : ALL) {
      if (bench.name().equals(name)) {
        return bench;
      }
    }
    String names = String.join(", ", ALL.stream().map(Bench::name).toList());
    throw new IllegalArgumentException("no bench is called " + name + "; there are " + names);
  }
}
