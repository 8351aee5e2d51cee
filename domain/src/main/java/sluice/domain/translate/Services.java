package sluice.domain.translate;

import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/// Calls of the JDK that make an object with threads of its own, which ends with the domain.
/// Stateless.
final class Services {
  static final String CLIENT = "java/net/http/HttpClient";

  /// The type of the methods that make one.
  static final String MAKES_CLIENT = "()L" + CLIENT + ";";

  /// Its future is completed on the common pool of the JVM.
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

  /// Whether a member of this name of some class does.
  static boolean isCandidate(String name) {
    return MEMBERS.contains(name);
  }

  /// Whether a call makes one.
  ///
  /// @param owner internal name of a class of the JDK
  static boolean has(String owner, String name) {
    return NAMES.getOrDefault(owner, Set.of()).contains(name);
  }
}
