package sluice.vi;

import java.util.List;
import sluice.vi.xdp.PairedStacks;
import sluice.vi.xdp.StackWire;

/// The contract on a wire that loses, repeats and reorders two frames of each hundred. What is sent
/// without reliability may be lost there: [sluice.vi.xdp.XdpPortTest].
final class XdpLossyViTest extends ViContract {
  @Override
  Nic open() throws Exception {
    long seed = System.nanoTime();
    System.out.println("seed of the wire " + seed);
    StackWire wire = new StackWire(seed, 20, frame -> frame);
    return new Nic("xdp", PairedStacks.over(wire.end(0), wire.end(1)));
  }

  @Override
  List<Reliability> levels() {
    return List.of(Reliability.RELIABLE_DELIVERY, Reliability.RELIABLE_RECEPTION);
  }
}
