package sluice.sys.sockets;

import java.net.Inet6Address;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.security.Security;
import java.util.Arrays;

/// What the JDK decides once, when it starts or first uses the network, and sockets of ours must
/// decide alike. Properties that an application changes later decide nothing. Any thread may ask.
///
/// | decision | the JDK takes it | taken here |
/// |---|---|---|
/// | directory for temporary files | at the start | [#begin], by the agent |
/// | IPv6 | as its network library is loaded | by asking the JDK, with the first socket |
/// | directory for sockets, texts of errors | as its classes of sockets are loaded | with the first socket |
///
/// The JDK is asked for IPv6 because only it knows when its library was loaded: an application may
/// set `java.net.preferIPv4Stack` in its first line, which counts, or after it has looked at an
/// address, which does not.
public final class JdkDecisions {
  private static final String TEMPORARY = System.getProperty("java.io.tmpdir", "/tmp");

  private JdkDecisions() {}

  /// Takes the decisions of the JDK's start. It loads nothing of the network: the application's
  /// first line has not run.
  public static void begin() {
    assert TEMPORARY != null;
  }

  /// Whether sockets are of IPv6, and talk IPv4 too (RFC 3493, 3.7).
  public static boolean ipv6() {
    return Network.IPV6;
  }

  /// Where listening sockets of the UNIX family get a name of their own.
  public static String socketDirectory() {
    return Network.DIRECTORY;
  }

  /// Whether messages of exceptions name the other side.
  public static boolean hostInfo() {
    return Network.HOST_INFO;
  }

  private static final class Network {
    static final boolean IPV6 = hasIpv6();
    static final String DIRECTORY = directory();
    static final boolean HOST_INFO = hostInfo();

    /// The JDK shows addresses of IPv6 if it uses IPv6. Where no interface has one, as with
    /// `disable_ipv6` in many containers, it does not use it either.
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

    /// The system property goes before the one of the security properties.
    private static boolean hostInfo() {
      String name = "jdk.includeInExceptions";
      String words = System.getProperty(name, Security.getProperty(name));
      return words != null
          && Arrays.stream(words.split(",", -1))
              .anyMatch(w -> w.strip().equalsIgnoreCase("hostInfo"));
    }
  }
}
