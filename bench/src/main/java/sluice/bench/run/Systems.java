package sluice.bench.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import sluice.testbase.FreePort;

/// The only place that knows the systems: their names, their requirements, and the commands that
/// start them. Used by the harness's main thread.
///
/// Sluice's file server is started as users start it, by the launcher, with a fixed backend; its
/// echo server is `EchoServer`.
public final class Systems {
  public static final String OURS = "sluice/";

  private static final List<String> ECHO =
      List.of(
          "sluice/io_uring",
          "sluice/epoll",
          "sluice/poll",
          "sluice/jdk",
          "netty-nio",
          "netty-epoll",
          "netty-io_uring",
          "jdk-epoll",
          "jdk-poll",
          "virtual-threads",
          "c-io_uring",
          "c-epoll");

  private static final List<String> SMALL =
      List.of(
          "sluice/io_uring",
          "sluice/epoll",
          "sluice/poll",
          "sluice/jdk",
          "netty-nio",
          "netty-epoll",
          "netty-io_uring",
          "netty-nio-raw",
          "netty-epoll-raw",
          "netty-io_uring-raw",
          "jdk-epoll",
          "jdk-poll",
          "virtual-threads",
          "c-io_uring",
          "c-epoll",
          "nginx",
          "h2o");

  private static final List<String> TLS =
      List.of("sluice/io_uring", "sluice/epoll", "netty-epoll", "nginx", "h2o");

  private static final List<String> FILES =
      List.of("sluice/io_uring", "sluice/epoll", "sluice/poll", "sluice/jdk", "nginx", "h2o");

  private static final List<String> POLLER =
      List.of(
          "sluice/epoll-async",
          "sluice/epoll-gang",
          "sluice/io_uring-async",
          "sluice/io_uring-gang",
          "sluice/poll-async",
          "sluice/poll-gang",
          "threads",
          "virtual-threads",
          "busy-wait",
          "jdk-epoll");

  private static final List<String> POLLER_HTTP =
      List.of("sluice/epoll-async", "sluice/epoll-gang", "threads", "virtual-threads");

  /// Systems that can be selected but are not part of the default sets.
  private static final List<String> ON_REQUEST = List.of("sluice/jdk-poll");

  private static final List<String> JVM =
      List.of("-XX:+UseSerialGC", "-Xms256m", "-Xmx256m", "-Xlog:disable");

  private static final List<String> NETTY =
      List.of(
          "--sun-misc-unsafe-memory-access=allow",
          "--add-opens=java.base/java.nio=ALL-UNNAMED",
          "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
          "-Dio.netty.noUnsafe=false",
          "-Dio.netty.tryReflectionSetAccessible=true",
          "-Dio.netty.leakDetection.level=disabled",
          "-Dio.netty.buffer.checkBounds=false",
          "-Dio.netty.buffer.checkAccessible=false");

  /// The flag that selects Sluice's selectors.
  public static final String OUR_PROVIDER =
      "-Djava.nio.channels.spi.SelectorProvider=sluice.nio.SluiceSelectorProvider";

  private static final String POLL_PROVIDER =
      "-Djava.nio.channels.spi.SelectorProvider=sun.nio.ch.PollSelectorProvider";

  /// The variable with flags that the launcher reads.
  private static final String LAUNCHER_FLAGS = "SLUICE_JAVA_OPTS";

  private final Workspace workspace;
  private boolean built;
  private @Nullable Certificate made;

  public Systems(Workspace workspace) {
    this.workspace = workspace;
  }

  /// The systems that `--quick` measures by default.
  private static final Set<String> QUICK =
      Set.of(
          "sluice/io_uring", "netty-epoll", "c-io_uring", "nginx", "sluice/epoll-async", "threads");

  /// Returns the systems of a role that are measured by default, in the order of results.
  static List<String> defaults(Role role, boolean quick) {
    return names(role).stream().filter(system -> !quick || QUICK.contains(system)).toList();
  }

  /// Returns the systems of a role in the order of results.
  public static List<String> names(Role role) {
    return switch (role) {
      case ECHO -> ECHO;
      case SMALL -> SMALL;
      case TLS -> TLS;
      case SITE, FILES -> FILES;
      case POLLER -> POLLER;
      case POLLER_HTTP -> POLLER_HTTP;
    };
  }

  public static boolean knows(Role role, String system) {
    return names(role).contains(system) || ON_REQUEST.contains(system);
  }

  public static boolean isOurs(String system) {
    return system.startsWith(OURS);
  }

  /// Returns the flags every Java peer runs with.
  public static List<String> jvmFlags() {
    return JVM;
  }

  public static List<String> nettyFlags() {
    return NETTY;
  }

  /// Returns the reason why a system cannot run here, with a fix; null if it can.
  public static @Nullable String missing(String system) {
    return switch (system) {
      case "nginx" -> absent("nginx", "nginx-light");
      case "h2o" -> absent("h2o", "h2o");
      default -> null;
    };
  }

  private static @Nullable String absent(String program, String debianPackage) {
    return Commands.find(program) != null
        ? null
        : program + " is not installed. Fix: apt-get install " + debianPackage;
  }

  /// Returns how a system starts in a role.
  ///
  /// @param root folder to serve, with `1k.txt` for [Role#SMALL]; not used for [Role#ECHO]
  /// @throws IOException if the system cannot run here
  public ServerSpec spec(String system, Role role, Path root) throws IOException {
    String missing = missing(system);
    if (missing != null) {
      throw new IOException(missing);
    }
    int port = FreePort.find();
    if (role == Role.POLLER || role == Role.POLLER_HTTP) {
      return demo(system, role, root, port);
    }
    if (isOurs(system)) {
      return ours(system, role, root, port);
    }
    if (system.startsWith("netty-")) {
      return netty(system, role, root, port);
    }
    List<String> arguments = new ArrayList<>(List.of(Integer.toString(port)));
    if (role == Role.ECHO) {
      arguments.add("echo");
    } else {
      arguments.addAll(List.of("http", root.resolve("1k.txt").toString()));
    }
    return switch (system) {
      case "jdk-epoll" -> java(system, List.of(), "server.JdkServer", arguments, port);
      case "jdk-poll" -> java(system, List.of(POLL_PROVIDER), "server.JdkServer", arguments, port);
      case "virtual-threads" ->
          java(system, List.of(), "server.VirtualThreadServer", arguments, port);
      case "c-epoll" -> program(system, workspace.epollPeer(), arguments, port);
      case "c-io_uring" -> program(system, workspace.uringPeer(), arguments, port);
      case "nginx" -> configured(system, role, root, port);
      case "h2o" -> configured(system, role, root, port);
      default -> throw new IOException("no such system: " + system);
    };
  }

  // ---- ours ---------------------------------------------------------------------------------

  private ServerSpec ours(String system, Role role, Path root, int port) throws IOException {
    String backend = system.substring(OURS.length());
    List<String> flags = new ArrayList<>();
    List<String> arguments = new ArrayList<>();
    if (backend.equals("jdk-poll")) {
      backend = "jdk";
      flags.add(POLL_PROVIDER);
    }
    arguments.addAll(List.of("--backend", backend, "--port", Integer.toString(port)));
    if (role == Role.ECHO) {
      return java(system, flags, "EchoServer", arguments, port);
    }
    if (role == Role.TLS) {
      Certificate own = certificate();
      arguments.addAll(List.of("--tls-cert", own.chain().toString()));
      arguments.addAll(List.of("--tls-key", own.key().toString()));
    }
    return serve(system, flags, root, arguments, port);
  }

  /// Returns the start of a server of the Poller's demonstration, or of the selector peer.
  private ServerSpec demo(String system, Role role, Path root, int port) throws IOException {
    if (system.equals("jdk-epoll")) {
      return java(
          system, List.of(), "server.JdkServer", List.of(Integer.toString(port), "echo"), port);
    }
    List<String> arguments = new ArrayList<>();
    switch (system) {
      case "threads" -> arguments.add("SimpleServer");
      case "virtual-threads" -> arguments.add("VirtualServer");
      case "busy-wait" -> arguments.add("BusyServer");
      default -> {
        String[] parts = system.substring(OURS.length()).split("-", 2);
        arguments.add(parts[1].equals("gang") ? "PollingServer" : "AsyncPollingServer");
        arguments.addAll(List.of("--backend", parts[0]));
      }
    }
    arguments.addAll(List.of("--port", Integer.toString(port)));
    if (role == Role.POLLER_HTTP) {
      arguments.addAll(List.of("--http", root.resolve("1k.txt").toString()));
    }
    String flag = "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED";
    return java(system, List.of(flag), "poller.PollerDemo", arguments, port);
  }

  /// Returns the start of `./sluice serve`, as users start it. The launcher becomes the server's
  /// process.
  private ServerSpec serve(
      String system, List<String> flags, Path root, List<String> arguments, int port)
      throws IOException {
    List<String> command = new ArrayList<>(List.of(launcher().toString(), "serve"));
    command.add(root.toString());
    command.addAll(arguments);
    return launched(system, command, flags, port);
  }

  /// Returns the start of `./sluice serve --config FILE`, or of a folder, on one address.
  public ServerSpec site(String system, List<String> what, int port) throws IOException {
    List<String> command = new ArrayList<>(List.of(launcher().toString(), "serve"));
    command.addAll(what);
    command.addAll(List.of("--port", Integer.toString(port)));
    return launched(system, command, port);
  }

  /// Returns a start by the launcher, without further flags.
  ServerSpec launched(String system, List<String> command, int port) {
    return launched(system, command, List.of(), port);
  }

  private static ServerSpec launched(
      String system, List<String> command, List<String> flags, int port) {
    List<String> options = new ArrayList<>(List.of("--add-modules=jdk.management"));
    options.addAll(flags);
    // The agent that counts allocations needs that module, and the start-up cache does not allow
    // other modules than it was made with. The cache only speeds up starting.
    Map<String, String> environment =
        Map.of(LAUNCHER_FLAGS, String.join(" ", options), "SLUICE_AOT", "off");
    return new ServerSpec(system, command, environment, port, true);
  }

  Workspace workspace() {
    return workspace;
  }

  /// Returns the launcher, with its build up to date: no server is measured during a build.
  Path launcher() throws IOException {
    Path launcher = workspace.project().resolve("sluice");
    if (!Files.isExecutable(launcher)) {
      throw new IOException("no launcher at " + launcher);
    }
    if (!built) {
      Commands.run(900, List.of(launcher.toString(), "doctor", "--help"));
      built = true;
    }
    return launcher;
  }

  /// Returns a copy with a heap of 256 MiB that is fully touched from the start, so that resident
  /// memory grows by native memory only. Has no effect on programs other than JVMs.
  public static ServerSpec withFixedHeap(ServerSpec spec) {
    return withFlags(spec, "-Xms256m -Xmx256m -XX:+AlwaysPreTouch");
  }

  /// Returns a copy with further flags for its JVM, separated by blanks.
  public static ServerSpec withFlags(ServerSpec spec, String added) {
    Map<String, String> environment = new LinkedHashMap<>(spec.environment());
    String variable = environment.containsKey(LAUNCHER_FLAGS) ? LAUNCHER_FLAGS : "JDK_JAVA_OPTIONS";
    environment.merge(variable, added, (flags, more) -> flags + " " + more);
    return new ServerSpec(spec.system(), spec.command(), environment, spec.port(), spec.java());
  }

  // ---- peers --------------------------------------------------------------------------------

  /// Returns the program of the JVM that runs this.
  public static String javaProgram() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  /// Returns the start of a class below `sluice.bench` with a `main`, in a JVM with the flags of
  /// all Java peers.
  public ServerSpec java(
      String system, List<String> flags, String main, List<String> arguments, int port)
      throws IOException {
    List<String> command = new ArrayList<>(List.of(javaProgram()));
    command.addAll(JVM);
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("-Djava.io.tmpdir=" + workspace.temporary("")); // goes with the workspace
    command.addAll(flags);
    command.addAll(
        List.of("-cp", workspace.classPath(flags.contains(OUR_PROVIDER)), "sluice.bench." + main));
    command.addAll(arguments);
    return new ServerSpec(system, command, Map.of(), port, true);
  }

  private ServerSpec netty(String system, Role role, Path root, int port) throws IOException {
    boolean raw = system.endsWith("-raw");
    String transport =
        system.substring("netty-".length(), system.length() - (raw ? "-raw".length() : 0));
    List<String> arguments = new ArrayList<>(List.of(Integer.toString(port), transport));
    if (role == Role.ECHO) {
      arguments.add("echo");
    } else if (role == Role.TLS) {
      Certificate own = certificate();
      arguments.addAll(List.of("https", root.resolve("1k.txt").toString()));
      arguments.addAll(List.of(own.chain().toString(), own.key().toString()));
    } else {
      arguments.addAll(List.of(raw ? "raw" : "http", root.resolve("1k.txt").toString()));
    }
    return java(system, NETTY, "server.NettyServer", arguments, port);
  }

  private static ServerSpec program(String system, Path program, List<String> args, int port) {
    List<String> command = new ArrayList<>(List.of(program.toString()));
    command.addAll(args);
    return new ServerSpec(system, command, Map.of(), port, false);
  }

  /// Returns the start of nginx or h2o, and fills in the configuration, a resource beside this
  /// class.
  private ServerSpec configured(String system, Role role, Path root, int port) throws IOException {
    boolean nginx = system.equals("nginx");
    Path work = Files.createDirectories(workspace.temporary(system + "-" + port));
    boolean administrator = System.getProperty("user.name").equals("root");
    String user = !administrator ? "" : nginx ? "user root;" : "user: root";
    String configuration =
        Workspace.text(system + ".conf")
            .replace("@WORK@", work.toString())
            .replace("@TLS@", role == Role.TLS ? tlsDirectives(nginx) : "")
            .replace("@SSL@", role == Role.TLS ? "ssl" : "")
            .replace("@USER@", user)
            .replace("@SENDFILE@", role == Role.FILES ? "on" : "off")
            .replace("@PORT@", Integer.toString(port))
            .replace("@ROOT@", root.toString());
    Path file = Files.writeString(work.resolve(system + ".conf"), configuration);
    Path program = Commands.find(system);
    List<String> command = new ArrayList<>();
    command.add(program == null ? system : program.toString());
    command.addAll(nginx ? List.of("-p", work.toString()) : List.of("-m", "worker"));
    command.addAll(List.of("-c", file.toString()));
    return new ServerSpec(system, command, Map.of(), port, false);
  }

  private String tlsDirectives(boolean nginx) throws IOException {
    Certificate own = certificate();
    return nginx
        ? "ssl_protocols TLSv1.3; ssl_certificate %s; ssl_certificate_key %s;"
            .formatted(own.chain(), own.key())
        : "ssl: {minimum-version: TLSv1.2, certificate-file: %s, key-file: %s}"
            .formatted(own.chain(), own.key());
  }

  private Certificate certificate() throws IOException {
    Certificate own = made;
    if (own == null) {
      own = Certificate.make(workspace);
      made = own;
    }
    return own;
  }
}
