package sluice.net.transport;

import java.io.IOException;
import java.net.NetworkInterface;
import sluice.net.Ipv4Prefix;
import sluice.net.StackConfig;
import sluice.net.tap.TapPort;
import sluice.net.xdp.XdpConfig;
import sluice.net.xdp.XdpPort;

/// A command line option that specifies a network stack, such as `tap:tap0,10.0.0.2/24`. It
/// consists of the driver, the interface and the address, optionally followed by `via=10.0.0.1` for
/// a gateway and `queues=4` for the number of queues, which is all queues by default. Instances are
/// immutable and thread-safe.
///
/// With `xdp`, the stack can share an address that is assigned to the interface in the kernel. In
/// this case, the stack receives the datagrams for its open ports, and the kernel still receives
/// all other packets. Any other address is used only by the stack.
///
/// @param driver `tap` or `xdp`
/// @param device the name of the interface
/// @param address the address of the stack
/// @param gateway the gateway in host order, or 0 if there is none
/// @param queues the number of queues for `xdp`, or 0 for all queues
public record StackOption(
    String driver, String device, Ipv4Prefix address, int gateway, int queues) {
  private static final String FORM = "tap|xdp:INTERFACE,ADDRESS/PREFIX[,via=GATEWAY][,queues=N]";

  /// The maximum length of an interface name, which is IFNAMSIZ without the terminating zero.
  private static final int MOST_LETTERS = 15;

  /// Creates an option.
  ///
  /// @throws IllegalArgumentException if the interface name is not valid
  public StackOption {
    if (!device.matches("[^/\\s,:]{1," + MOST_LETTERS + "}")) {
      throw new IllegalArgumentException(
          "an interface has a name of 1 to "
              + MOST_LETTERS
              + " letters, such as eth0, not '"
              + device
              + "'");
    }
  }

  /// Parses an option.
  ///
  /// @throws IllegalArgumentException if the text is not a valid option
  public static StackOption parse(String text) {
    int colon = text.indexOf(':');
    String[] parts = text.substring(colon + 1).split(",", -1);
    String driver = colon < 0 ? "" : text.substring(0, colon);
    boolean known = driver.equals("tap") || driver.equals("xdp");
    if (!known || parts.length < 2 || parts[0].isEmpty()) {
      throw new IllegalArgumentException("not as " + FORM + ": " + text);
    }
    int gateway = 0;
    int queues = 0;
    for (int i = 2; i < parts.length; i++) {
      if (parts[i].startsWith("via=")) {
        gateway = Ipv4Prefix.parseAddress(parts[i].substring("via=".length()));
      } else if (parts[i].matches("queues=[1-9][0-9]?")) {
        queues = Integer.parseInt(parts[i].substring("queues=".length()));
      } else {
        throw new IllegalArgumentException("not as " + FORM + ": " + text);
      }
    }
    return new StackOption(driver, parts[0], Ipv4Prefix.parse(parts[1]), gateway, queues);
  }

  /// Returns this option in the form that is accepted by [#parse].
  @Override
  public String toString() {
    return driver
        + ":"
        + device
        + ","
        + address
        + (gateway == 0 ? "" : ",via=" + Ipv4Prefix.text(gateway))
        + (queues == 0 ? "" : ",queues=" + queues);
  }

  StackPorts open() throws IOException {
    StackConfig config = StackConfig.of(address).withGateway(gateway);
    if (driver.equals("tap")) {
      return new StackPorts(TapPort.open(device), config, PortFilter.NONE);
    }
    boolean owned = !kernelHas();
    XdpPort port = XdpPort.open(new XdpConfig(device, address.address(), owned, queues));
    return new StackPorts(
        port, config.withOwnsAddress(owned), owned ? PortFilter.NONE : taking(port));
  }

  /// Returns true if the address is assigned to the interface in the kernel.
  private boolean kernelHas() throws IOException {
    NetworkInterface found = NetworkInterface.getByName(device);
    String text = Ipv4Prefix.text(address.address());
    return found != null
        && found.inetAddresses().anyMatch(each -> each.getHostAddress().equals(text));
  }

  private static PortFilter taking(XdpPort from) {
    return new PortFilter() {
      @Override
      public void own(int port) throws IOException {
        from.own(port);
      }

      @Override
      public void release(int port) {
        from.disown(port);
      }
    };
  }
}
