package sluice.domain.translate;

import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/// The JDK calls that create an object with its own threads, which is closed when the domain is
/// terminated. Stateless.
final class Services {
  static final String CLIENT = "java/net/http/HttpClient";

  /// The descriptor of the methods that create an HTTP client.
  static final String MAKES_CLIENT = "()L" + CLIENT + ";";

  /// The method of a client whose future is completed on the JVM's common pool.
  static final String SEND = "sendAsync";

  private static final Map<String, Set<String>> NAMES =
      Map.of(
          CLIENT,
          Set.of("newHttpClient"),
          "java/net/http/HttpClient$Builder",
          Set.of("build"),
          "com/sun/net/httpserver/HttpServer",
          Set.of("create"),
          "com/sun/net/httpserver/HttpsServer",
          Set.of("create"),
          "com/sun/net/httpserver/SimpleFileServer",
          Set.of("createFileServer"),
          "com/sun/net/httpserver/spi/HttpServerProvider",
          Set.of("createHttpServer", "createHttpsServer"),
          "java/nio/file/FileSystem",
          Set.of("newWatchService"));

  private static final Set<String> MEMBERS =
      NAMES.values().stream().flatMap(Set::stream).collect(Collectors.toUnmodifiableSet());

  private Services() {}

  /// Returns true if a member with the given name creates an object with its own threads in any
  /// class.
  static boolean isCandidate(String name) {
    return MEMBERS.contains(name);
  }

  /// Returns true if a call creates an object with its own threads.
  ///
  /// @param owner the internal name of a JDK class
  static boolean has(String owner, String name) {
    return NAMES.getOrDefault(owner, Set.of()).contains(name);
  }
}
