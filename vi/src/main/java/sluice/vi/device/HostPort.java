package sluice.vi.device;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/// Parses the addresses of devices that connect different hosts. Stateless.
public final class HostPort {
  private HostPort() {}

  /// Parses an address.
  ///
  /// @throws DeviceException if the address is not of the form `HOST:PORT`, or the host is unknown
  public static InetSocketAddress parse(String text) throws DeviceException {
    int colon = text.lastIndexOf(':');
    try {
      String host = text.substring(0, Math.max(0, colon));
      int port = Integer.parseInt(text.substring(colon + 1));
      if (host.startsWith("[") && host.endsWith("]")) {
        host = host.substring(1, host.length() - 1);
      }
      if (!host.isEmpty() && port >= 1 && port <= 0xffff) {
        return new InetSocketAddress(InetAddress.getByName(host), port);
      }
    } catch (NumberFormatException e) {
      // Handled below in the same way as other invalid addresses.
    } catch (UnknownHostException e) {
      throw new DeviceException(
          Fault.MISCONFIGURED, "no host is known by this name: " + text + ". Fix: another name", e);
    }
    throw new DeviceException(
        Fault.MISCONFIGURED, "the address of a VI here is HOST:PORT, as 10.0.0.7:7000: " + text);
  }
}
