package sluice.bench;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import sluice.bench.cases.BenchCase;
import sluice.bench.cases.RequestMix;
import sluice.bench.run.LoadSpec;
import sluice.bench.run.Peers;
import sluice.bench.run.ServerSpec;
import sluice.bench.run.Sites;
import sluice.bench.run.Systems;
import sluice.bench.server.EchoPlugin;
import sluice.bench.server.EchoViewPlugin;
import sluice.http.plugin.HttpPlugin;
import sluice.http.plugin.ViewPlugin;
import sluice.testbase.FreePort;

/// The cases of `sluice bench plugin`: a body is echoed by a plug-in in its domain, by a plug-in
/// that was admitted to the loop, and by a handler of the program on the slow path. Stateless.
final class PluginCases {
  private static final String PREFIX = "/echo";
  private static final String DOMAIN = "sluice/domain";
  private static final String TRUSTED = "sluice/slow-path";
  private static final String LOOP = "sluice/loop";
  private static final int BODY_BYTES = 100;

  private PluginCases() {}

  static List<BenchCase> all() {
    return List.of(
        of("100B c64 d1", 64, 0, true),
        of("100B c1 d1", 1, 0, false),
        of("100B c16 at 2k/s", 16, 2_000, false),
        of("100B c16 at 10k/s", 16, 10_000, false));
  }

  private static BenchCase of(String name, int connections, int rate, boolean quick) {
    return new BenchCase(
        name,
        new Places(),
        quick,
        0,
        0,
        Sites::small,
        (server, root, harness) -> {
          Path mix = mix(harness.workspace().temporary("mix-plugin"));
          return LoadSpec.http(connections, 1, mix).withRate(rate);
        });
  }

  private static Path mix(Path into) throws IOException {
    byte[] body = "x".repeat(BODY_BYTES).getBytes(US_ASCII);
    String head = "POST " + PREFIX + " HTTP/1.1\r\nHost: a\r\nContent-Length: " + BODY_BYTES;
    RequestMix mix = new RequestMix();
    mix.add(1, (head + "\r\n\r\n" + "x".repeat(BODY_BYTES)).getBytes(US_ASCII), 200, body);
    return mix.write(into);
  }

  /// Makes a jar of one class of this bench.
  private static Path jar(Path jar, Class<?> service, Class<?> type) throws IOException {
    String file = type.getName().substring(type.getPackageName().length() + 1) + ".class";
    try (JarOutputStream to = new JarOutputStream(Files.newOutputStream(jar));
        InputStream in = Objects.requireNonNull(type.getResourceAsStream(file))) {
      to.putNextEntry(new ZipEntry("META-INF/services/" + service.getName()));
      to.write(type.getName().getBytes(US_ASCII));
      to.putNextEntry(new ZipEntry(type.getName().replace('.', '/') + ".class"));
      in.transferTo(to);
    }
    return jar;
  }

  /// The same handler in different places.
  private static final class Places implements Peers {
    @Override
    public List<String> names() {
      return List.of(DOMAIN, TRUSTED, LOOP);
    }

    @Override
    public ServerSpec spec(Systems systems, String system, Path root) throws IOException {
      int port = FreePort.find();
      if (system.equals(TRUSTED)) {
        List<String> words = List.of(Integer.toString(port), root.toString(), PREFIX);
        return systems.java(system, List.of(), "server.TrustedEcho", words, port);
      }
      boolean onLoop = system.equals(LOOP);
      Path jar =
          onLoop
              ? jar(root.resolveSibling("echo-view.jar"), ViewPlugin.class, EchoViewPlugin.class)
              : jar(root.resolveSibling("echo.jar"), HttpPlugin.class, EchoPlugin.class);
      // Calls of connections that a window has closed may still be open when the next begins.
      List<String> words =
          List.of(
              root.toString(),
              "--backend=io_uring",
              "--loops=1",
              "--plugin=" + PREFIX + "=" + jar,
              "--plugin-waiting=1024");
      return Systems.withFixedHeap(systems.site(system, words, port));
    }
  }
}
