package sluice.bench.run;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/// The files of the harness: the permanent ones in `.sluice/bench` of the project, the others in a
/// temporary folder that [#close] removes. Used by the harness's main thread.
public final class Workspace implements AutoCloseable {
  private static final List<String> HEADERS =
      List.of(
          "c_packets.h",
          "c_vi.h",
          "crc32.h",
          "histogram.h",
          "load.h",
          "peer.h",
          "reply.h",
          "ring.h",
          "tls.h");
  private static final List<String> LOAD = List.of("load.c", "support.c", "reply.c", "ring.c");
  private static final String TLS_HEADER = "openssl/ssl.h";
  private static final List<String> EPOLL = List.of("c_epoll.c", "peer.c");
  private static final List<String> URING = List.of("c_uring.c", "peer.c", "ring.c");

  private final Path project;
  private final Path cache;
  private final Path temporary;

  private Workspace(Path project, Path cache, Path temporary) {
    this.project = project;
    this.cache = cache;
    this.temporary = temporary;
  }

  public static Workspace open() throws IOException {
    Path project = projectFolder();
    Path cache = Files.createDirectories(project.resolve(".sluice").resolve("bench"));
    return Cleanup.open(
        () -> new Workspace(project, cache, Files.createTempDirectory("sluice-bench")));
  }

  /// Returns the checkout that the launcher reports, else the one this code was built in, else the
  /// current folder.
  private static Path projectFolder() {
    String home = System.getProperty("sluice.home");
    if (home != null) {
      return Path.of(home).toAbsolutePath();
    }
    Path code = codeLocation();
    for (Path p = code; p != null; p = p.getParent()) {
      if (Files.exists(p.resolve("bench").resolve("pom.xml"))) {
        return p;
      }
    }
    return Path.of("").toAbsolutePath();
  }

  private static @Nullable Path codeLocation() {
    try {
      return Path.of(Workspace.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      return null;
    }
  }

  public Path project() {
    return project;
  }

  /// Returns the folder that is kept from run to run and is not part of the repository.
  public Path cache() {
    return cache;
  }

  /// Returns a path in this run's temporary folder.
  public Path temporary(String name) {
    return temporary.resolve(name);
  }

  /// Returns Sluice's jars and those of the peers, for servers written in Java.
  ///
  /// @param ourSelectors true to include Sluice's selector provider: it is a service, so a JVM that
  ///   finds it uses it
  public String classPath(boolean ourSelectors) throws IOException {
    Set<String> entries = new LinkedHashSet<>();
    for (String property : List.of("jdk.module.path", "java.class.path")) {
      String path = System.getProperty(property, "");
      for (String entry : path.split(File.pathSeparator, -1)) {
        if (!entry.isEmpty()) {
          addJars(entries, Path.of(entry));
        }
      }
    }
    Path code = codeLocation();
    if (code != null) {
      addJars(entries, code.resolveSibling("lib"));
      Path folder = code.getParent();
      if (ourSelectors && folder != null) {
        addJars(entries, folder.resolveSibling("nio")); // where the launcher puts it
      }
    }
    entries.removeIf(entry -> !ourSelectors && entry.contains("/sluice-nio-"));
    return String.join(File.pathSeparator, entries);
  }

  private static void addJars(Set<String> entries, Path entry) throws IOException {
    entries.add(entry.toAbsolutePath().toString());
    if (Files.isDirectory(entry)) {
      try (Stream<Path> files = Files.list(entry)) {
        files
            .filter(file -> file.toString().endsWith(".jar"))
            .sorted()
            .forEach(file -> entries.add(file.toAbsolutePath().toString()));
      }
    }
  }

  // ---- C programs ---------------------------------------------------------------------------

  public Path loadGenerator() throws IOException {
    return compiled("load", with(LOAD, "notls.c"), List.of());
  }

  /// Returns the load generator with OpenSSL.
  ///
  /// @throws IOException if OpenSSL's headers are not installed and cannot be installed
  Path tlsLoadGenerator() throws IOException {
    if (!Files.exists(Path.of("/usr/include", TLS_HEADER))) {
      Packages.install("libssl-dev", "the load generator speaks TLS with it");
    }
    return compiled("load-tls", with(LOAD, "tls.c"), List.of("-lssl", "-lcrypto"));
  }

  /// Returns the program of [Regime] with the fixed work.
  Path regimeProbe() throws IOException {
    return compiled("regime", List.of("regime.c"), List.of());
  }

  /// Returns the program that loads NFS servers.
  public Path nfsLoadGenerator() throws IOException {
    return compiled("nfsload", List.of("nfsload.c", "support.c"), List.of());
  }

  /// Returns the minimal NFS server.
  Path nfsPeer() throws IOException {
    return compiled("c_nfs", List.of("c_nfs.c"), List.of());
  }

  private static List<String> with(List<String> sources, String one) {
    List<String> all = new ArrayList<>(sources);
    all.add(one);
    return all;
  }

  Path epollPeer() throws IOException {
    return compiled("c_epoll", EPOLL, List.of());
  }

  Path uringPeer() throws IOException {
    return compiled("c_uring", URING, List.of());
  }

  public Path iozonePeer() throws IOException {
    return compiled("iozone", List.of("iozone.c"), List.of());
  }

  public Path fusePeer() throws IOException {
    return compiled("fuse_peer", List.of("fuse_peer.c"), List.of());
  }

  public Path fuseClient() throws IOException {
    return compiled("fuse_client", List.of("fuse_client.c"), List.of());
  }

  /// Returns the peer of bench vi over sockets.
  public Path viSocketPeer() throws IOException {
    return compiled("c_vi_socket", List.of("c_vi.c", "c_vi_socket.c"), List.of());
  }

  /// Returns the peer of bench vi over libfabric.
  ///
  /// @throws IOException if its headers are not installed and cannot be installed
  public Path viFabricPeer() throws IOException {
    if (!Files.exists(Path.of("/usr/include/rdma/fabric.h"))) {
      Packages.install("libfabric-dev", "the C peer of bench vi is compiled with it");
    }
    return compiled("c_vi_fabric", List.of("c_vi.c", "c_vi_fabric.c"), List.of("-lfabric"));
  }

  /// Returns the peer of bench vi through one cache line.
  public Path viLinePeer() throws IOException {
    return compiled("c_vi_line", List.of("c_vi.c", "c_vi_line.c"), List.of());
  }

  /// Returns the peer of bench xdp for datagrams.
  public Path packetPeer() throws IOException {
    return compiled(
        "c_packets",
        List.of("c_packets.c", "c_packets_udp.c", "c_packets_xdp.c", "ring.c"),
        List.of());
  }

  /// Returns the program that measures the cost of pinning memory.
  public Path viPinning() throws IOException {
    return compiled("c_vi_pin", List.of("c_vi_pin.c"), List.of());
  }

  /// Compiles a program unless it was compiled from the same sources before.
  private Path compiled(String name, List<String> sources, List<String> libraries)
      throws IOException {
    List<String> all = new ArrayList<>(HEADERS);
    all.addAll(sources);
    CRC32 crc = new CRC32();
    for (String source : all) {
      crc.update(resource("c/" + source));
    }
    Path program = cache.resolve(name + "-" + Long.toHexString(crc.getValue()));
    if (Files.isExecutable(program)) {
      return program;
    }
    if (Commands.find("gcc") == null) {
      throw new IOException(
          "gcc is not installed. Why: the load generator and the C peers are compiled here. "
              + "Fix: apt-get install gcc libc6-dev linux-libc-dev");
    }
    Path folder = Files.createDirectories(temporary.resolve("c"));
    for (String source : all) {
      Files.write(folder.resolve(source), resource("c/" + source));
    }
    Path made = temporary.resolve(name);
    List<String> command =
        new ArrayList<>(List.of("gcc", "-std=gnu11", "-O2", "-march=native", "-Wall", "-Wextra"));
    command.addAll(List.of("-Werror", "-o", made.toString()));
    sources.forEach(source -> command.add(folder.resolve(source).toString()));
    command.addAll(libraries);
    Commands.run(120, command);
    // It is moved in one step, so that a bench never finds a partial program, even after a kill.
    Path whole = cache.resolve(program.getFileName() + "." + ProcessHandle.current().pid());
    Files.copy(made, whole, StandardCopyOption.REPLACE_EXISTING);
    return Files.move(whole, program, StandardCopyOption.ATOMIC_MOVE);
  }

  static byte[] resource(String name) throws IOException {
    try (InputStream in = Workspace.class.getResourceAsStream("/sluice/bench/" + name)) {
      if (in == null) {
        throw new IOException("resource " + name + " is missing from the jar");
      }
      return in.readAllBytes();
    }
  }

  static String text(String name) throws IOException {
    return new String(resource(name), StandardCharsets.UTF_8);
  }

  /// Removes the temporary folder; files that are still being written may need a second attempt.
  @Override
  public void close() {
    for (int attempt = 1; attempt <= 3 && Files.exists(temporary); attempt++) {
      try {
        delete(temporary);
      } catch (IOException e) {
        if (attempt == 3) {
          System.err.println("not removed: " + temporary + ": " + e.getMessage());
        }
      }
    }
    Cleanup.closed(this);
  }

  private static void delete(Path folder) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(folder)) {
      files = all.sorted(Comparator.reverseOrder()).toList();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    for (Path file : files) {
      Files.deleteIfExists(file);
    }
  }
}
