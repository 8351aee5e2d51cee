package sluice.vi;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.net.transport.StackOption;
import sluice.net.transport.StackPorts;
import sluice.testkit.NetRoom;
import sluice.vi.xdp.PairedStacks;

/// The contract on networks of the kernel, in namespaces of the test's own: AF_XDP at both ends of
/// a `veth` pair, the same with a server that shares the kernel's address, and two TAP devices on a
/// bridge.
@ParameterizedClass
@ValueSource(strings = {"xdp", "beside", "tap"})
final class XdpNetworksIT extends ViContract {
  private final String network;
  private @Nullable NetRoom ours;
  private @Nullable NetRoom theirs;
  private int pairs;

  XdpNetworksIT(String network) {
    this.network = network;
  }

  @BeforeEach
  void enter() {
    ours = NetRoom.enter("ip");
    theirs = NetRoom.enter("ip");
  }

  @AfterEach
  void leave() {
    if (theirs != null) {
      theirs.close();
    }
    if (ours != null) {
      ours.close();
    }
  }

  @Override
  Nic open() throws Exception {
    NetRoom inner = room(theirs);
    NetRoom outer = room(ours);
    int pair = pairs++;
    if (network.equals("tap")) {
      StackPorts server = stack("tap:s" + pair + ",10.9.0.1/24");
      StackPorts client = stack("tap:c" + pair + ",10.9.0.2/24");
      inner.run("ip link add b" + pair + " type bridge");
      for (String each : List.of("s", "c")) {
        inner.run("ip link set " + each + pair + " master b" + pair);
        inner.run("ip link set " + each + pair + " up");
      }
      inner.run("ip link set b" + pair + " up");
      return new Nic("xdp", PairedStacks.over(server, client));
    }
    inner.link("c" + pair, "s" + pair, 1);
    if (network.equals("beside")) {
      String _ = inner.outside(() -> outer.run("ip addr add 10.9.0.1/24 dev s" + pair));
    }
    StackPorts server = inner.outside(() -> stack("xdp:s" + pair + ",10.9.0.1/24"));
    return new Nic("xdp", PairedStacks.over(server, stack("xdp:c" + pair + ",10.9.0.2/24")));
  }

  private static NetRoom room(@Nullable NetRoom entered) {
    if (entered == null) {
      throw new AssertionError("no network namespace");
    }
    return entered;
  }

  private static StackPorts stack(String words) throws Exception {
    return StackPorts.open(StackOption.parse(words));
  }

  @Override
  List<Reliability> levels() {
    return List.of(Reliability.values());
  }
}
