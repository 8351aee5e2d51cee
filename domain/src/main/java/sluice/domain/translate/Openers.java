package sluice.domain.translate;

import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/// The JDK calls that open a socket, a socket channel or a selector. The domain checks its budget
/// before each of these calls and counts the result afterwards. Stateless.
final class Openers {
  static final MethodTypeDesc OPENED =
      MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_Object);

  private static final Set<String> CONSTRUCTOR = Set.of("<init>");
  private static final Set<String> OPEN = Set.of("open");
  private static final Set<String> CREATE = Set.of("createSocket");
  private static final Set<String> CREATE_SERVER = Set.of("createServerSocket");

  private static final Map<String, Set<String>> NAMES =
      Map.ofEntries(
          Map.entry("java/net/Socket", CONSTRUCTOR),
          Map.entry("java/net/ServerSocket", Set.of("<init>", "accept")),
          Map.entry("java/net/DatagramSocket", CONSTRUCTOR),
          Map.entry("java/net/MulticastSocket", CONSTRUCTOR),
          Map.entry("java/nio/channels/SocketChannel", OPEN),
          Map.entry("java/nio/channels/ServerSocketChannel", Set.of("open", "accept")),
          Map.entry("java/nio/channels/DatagramChannel", OPEN),
          Map.entry("java/nio/channels/Pipe", OPEN),
          Map.entry("java/nio/channels/Selector", OPEN),
          Map.entry(
              "java/nio/channels/spi/SelectorProvider",
              Set.of(
                  "openSocketChannel",
                  "openServerSocketChannel",
                  "openDatagramChannel",
                  "openPipe",
                  "openSelector")),
          Map.entry("javax/net/SocketFactory", CREATE),
          Map.entry("javax/net/ssl/SSLSocketFactory", CREATE),
          Map.entry("javax/net/ssl/SSLServerSocket", Set.of("accept")),
          Map.entry("javax/net/ServerSocketFactory", CREATE_SERVER),
          Map.entry("javax/net/ssl/SSLServerSocketFactory", CREATE_SERVER));

  private static final Set<String> MEMBERS =
      NAMES.values().stream().flatMap(Set::stream).collect(Collectors.toUnmodifiableSet());

  private Openers() {}

  /// Returns true if a member with the given name opens a socket in any class.
  static boolean isCandidate(String name) {
    return MEMBERS.contains(name);
  }

  /// Returns true if a call opens a socket.
  ///
  /// @param owner the internal name of the class specified by the call
  static boolean has(String owner, String name) {
    return NAMES.getOrDefault(owner, Set.of()).contains(name);
  }
}
