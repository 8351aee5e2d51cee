package sluice.bench;

import java.util.List;
import sluice.bench.cases.Bench;
import sluice.bench.cases.BenchCase;
import sluice.bench.cases.CaseBench;
import sluice.bench.domain.DomainBench;
import sluice.bench.domain.PortalBench;
import sluice.bench.domain.SchedulerBench;
import sluice.bench.domain.VerifyBench;
import sluice.bench.iozone.IozoneBench;
import sluice.bench.isocket.IsocketBench;
import sluice.bench.packets.PacketBench;
import sluice.bench.petstore.PetStoreBench;
import sluice.bench.vi.ViBench;

/// The list of all benches. Stateless.
public final class Benches {
  /// The benches in the order of `--list`.
  static final List<Bench> ALL =
      List.of(
          new CaseBench("echo", BenchCase::echoCases),
          new CaseBench("http", BenchCase::httpCases),
          new CaseBench("idle", BenchCase::idleCases),
          new CaseBench("files", BenchCase::fileCases),
          new CaseBench("poller", BenchCase::pollerCases),
          new NfsBench(),
          new SelectorBench(),
          new CaseBench("front", FrontCases::all),
          new CaseBench("mix", MixCases::all),
          new CaseBench("site", SiteCases::all),
          new CaseBench("plugin", PluginCases::all),
          new HandlerBench(),
          new IsocketBench(),
          new ChurnBench(),
          new PetStoreBench(),
          new IozoneBench(),
          new StartBench(),
          new FuseBench(),
          new PortalBench(),
          new SchedulerBench(),
          new DomainBench(),
          VerifyBench.ofVerifier(),
          VerifyBench.ofTranslator(),
          new RevokeBench(),
          new RegionBench(),
          new ViBench(),
          new PacketBench());

  private Benches() {}

  /// Returns the bench of that name.
  ///
  /// @throws IllegalArgumentException if there is none, with a message for the user
  public static Bench named(String name) {
    for (Bench bench : ALL) {
      if (bench.name().equals(name)) {
        return bench;
      }
    }
    String names = String.join(", ", ALL.stream().map(Bench::name).toList());
    throw new IllegalArgumentException("no bench is called " + name + "; there are " + names);
  }
}
