package sluice.vi.xdp;

import java.io.IOException;
import sluice.net.Ipv4Prefix;
import sluice.net.StackConfig;
import sluice.net.port.PacketPort;
import sluice.net.transport.StackPorts;
import sluice.vi.device.Device;
import sluice.vi.device.Listener;
import sluice.vi.device.Port;
import sluice.vi.device.PortSpec;

/// Two devices at the ends of one wire, as one device for the contract: servers are at 10.9.0.1,
/// clients at 10.9.0.2. Any thread may call.
public final class PairedStacks implements Device {
  private final Device servers;
  private final Device clients;

  private PairedStacks(Device servers, Device clients) {
    this.servers = servers;
    this.clients = clients;
  }

  /// Two stacks over ports of the caller's, which are closed with this.
  public static PairedStacks over(PacketPort server, PacketPort client) throws IOException {
    return over(stack(server, "10.9.0.1/24"), stack(client, "10.9.0.2/24"));
  }

  private static StackPorts stack(PacketPort port, String address) {
    return StackPorts.over(port, StackConfig.of(Ipv4Prefix.parse(address)));
  }

  /// Two stacks that are joined.
  public static PairedStacks over(StackPorts server, StackPorts client) throws IOException {
    return new PairedStacks(XdpProvider.over(server), XdpProvider.over(client));
  }

  @Override
  public Listener listen(String address, int tag) throws IOException {
    return servers.listen(address, tag);
  }

  @Override
  public Port connect(String address, PortSpec spec, long timeoutNanos) throws IOException {
    return clients.connect(address, spec, timeoutNanos);
  }

  @Override
  public void close() {
    clients.close();
    servers.close();
  }
}
