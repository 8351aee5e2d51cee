package sluice.vi.xdp;

import java.io.IOException;
import java.util.List;
import sluice.loop.datagrams.DatagramPorts;
import sluice.net.transport.StackOption;
import sluice.net.transport.StackPorts;
import sluice.vi.device.Device;
import sluice.vi.device.DeviceException;
import sluice.vi.device.DeviceProvider;
import sluice.vi.device.Fault;

/// Offers the device `xdp`: datagrams by the project's own network stack, on AF_XDP, or on TAP
/// where AF_XDP is not to be had. It needs an interface and an address, in the words of `sluice nfs
/// --udp-stack`; the system property `sluice.vi.xdp` has them where a program gives none.
/// Stateless.
public final class XdpProvider implements DeviceProvider {
  private static final String PROPERTY = "sluice.vi.xdp";

  /// Creates the provider for [java.util.ServiceLoader].
  public XdpProvider() {}

  @Override
  public List<String> names() {
    return List.of("xdp");
  }

  @Override
  public String why(String name) {
    String words = System.getProperty(PROPERTY, "");
    if (words.isEmpty()) {
      return "it needs an interface and an address of its own. Fix: -D"
          + PROPERTY
          + "=xdp:eth0,10.0.0.2/24 (AF_XDP), or tap:tap0,10.0.0.2/24 where AF_XDP is not to be had;"
          + " as root";
    }
    try {
      StackOption _ = StackOption.parse(words);
      return "";
    } catch (IllegalArgumentException e) {
      return "the property " + PROPERTY + ": " + e.getMessage();
    }
  }

  @Override
  public String about(String name) {
    return "datagrams over " + System.getProperty(PROPERTY, "");
  }

  @Override
  public Device open(String name) throws IOException {
    return open(name, System.getProperty(PROPERTY, ""));
  }

  @Override
  public Device open(String name, String words) throws IOException {
    StackPorts ports;
    try {
      ports = StackPorts.open(StackOption.parse(words));
    } catch (IllegalArgumentException e) {
      throw new DeviceException(Fault.MISCONFIGURED, String.valueOf(e.getMessage()), e);
    }
    return over(ports);
  }

  /// Creates a device over a stack, which is closed with it.
  static Device over(StackPorts ports) throws IOException {
    try {
      return new XdpDevice(new Stack(ports));
    } catch (IOException | RuntimeException e) {
      ports.close();
      throw e;
    }
  }

  private record Stack(StackPorts stack) implements XdpDevice.Network {
    @Override
    public DatagramPorts ports() {
      return stack;
    }

    @Override
    public int datagramBytes() {
      return stack.datagramBytes();
    }

    @Override
    public boolean begins() {
      return stack.ownsAddress();
    }

    @Override
    public void close() {
      stack.close();
    }
  }
}
