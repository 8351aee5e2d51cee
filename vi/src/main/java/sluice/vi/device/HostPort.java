package sluice.vi.device;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/// The addresses of devices that work between hosts. Stateless.
public final class HostPort {
  private HostPort() {}

  /// @throws IOException when it is not `HOST:PORT`, or there is no such host
  public static InetSocketAddress parse(String text) throws IOException {
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
      // as other words that are no address
    }
    throw new IOException("the address of a VI here is HOST:PORT, as 10.0.0.7:7000: " + text);
  }
}
