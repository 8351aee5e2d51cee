package sluice.sys.sockets;

import java.net.Inet6Address;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.security.Security;
import java.util.Arrays;

/// The settings that the JDK determines once, either at startup or when the network is first used,
/// and that Sluice's sockets must also use. Later changes to properties have no effect. This class
/// is thread-safe.
///
/// | decision | made by the JDK | made here |
/// |---|---|---|
/// | directory for temporary files | at the start | [#begin], by the agent |
/// | IPv6 | as its network library is loaded | by asking the JDK, with the first socket |
/// | directory for sockets, texts of errors | as its classes of sockets are loaded | with the first socket |
///
/// The JDK is asked for the IPv6 setting because only the JDK knows when its network library was
/// loaded. An application may set `java.net.preferIPv4Stack` in its first line, which is effective,
/// or after it has used an address, which is not.
public final class JdkDecisions {
  private static final String TEMPORARY = System.getProperty("java.io.tmpdir", "/tmp");

  private JdkDecisions() {}

  /// Determines the settings that the JDK reads at startup. This method does not load any network
  /// classes because the first line of the application has not been executed yet.
  public static void begin() {
    assert TEMPORARY != null;
  }

  /// Returns true if sockets use IPv6 and also accept IPv4 (RFC 3493, 3.7).
  public static boolean ipv6() {
    return Network.IPV6;
  }

  /// Returns the directory for listening UNIX sockets that were not given a name.
  public static String socketDirectory() {
    return Network.DIRECTORY;
  }

  /// Returns true if exception messages include the peer.
  public static boolean hostInfo() {
    return Network.HOST_INFO;
  }

  private static final class Network {
    static final boolean IPV6 = hasIpv6();
    static final String DIRECTORY = directory();
    static final boolean HOST_INFO = hostInfo();

    /// Returns true if the JDK uses IPv6, which is the case if it reports IPv6 addresses. If no
    /// interface has an IPv6 address, as with `disable_ipv6` in many containers, the JDK does not
    /// use IPv6 either.
    private static boolean hasIpv6() {
      try {
        return NetworkInterface.networkInterfaces()
            .flatMap(NetworkInterface::inetAddresses)
            .anyMatch(Inet6Address.class::isInstance);
      } catch (SocketException none) {
        return false;
      }
    }

    private static String directory() {
      String named = System.getProperty("jdk.net.unixdomain.tmpdir", "");
      return named.isEmpty() ? TEMPORARY : named;
    }

    /// Returns true if messages include hosts. The system property takes precedence over the
    /// security property.
    private static boolean hostInfo() {
      String name = "jdk.includeInExceptions";
      String words = System.getProperty(name, Security.getProperty(name));
      return words != null
          && Arrays.stream(words.split(",", -1))
              .anyMatch(w -> w.strip().equalsIgnoreCase("hostInfo"));
    }
  }
}
