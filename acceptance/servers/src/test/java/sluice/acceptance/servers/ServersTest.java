package sluice.acceptance.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import sluice.testbase.Slice;

/// Unmodified servers on each of our engines and on the JDK: every byte is right, and SIGTERM ends
/// them without an exception.
///
/// `-Dsluice.servers.only=TEXT` runs those whose name has the text, `-Dsluice.servers.load=ENGINE`
/// runs loads of their own process on another engine than the server's.
@Tag("acceptance")
class ServersTest {
  private static final Path TARGET = Path.of("target", "servers").toAbsolutePath();
  private static final List<String> ENGINES =
      List.of(ServerProcess.CONTROL, "readiness", "completion");

  /// The variant of a server without a selector: only files in front of it are ours.
  private static final String BLOCKING = "blocking";

  private static final List<Served> SERVERS =
      List.of(
          Served.http(JdkServerMain.class),
          Served.http(TomcatMain.class),
          Served.http(SpringBootMain.class),
          Served.http(JettyMain.class),
          Served.http(UndertowMain.class),
          Served.http(NettyMain.class),
          Served.http(VertxMain.class),
          Served.http(GrizzlyMain.class),
          Served.http(HttpCoreMain.class),
          Served.http(PekkoMain.class),
          new Served(HttpCoreClassicMain.class, BLOCKING, null, false),
          new Served(GrpcMain.class, "", GrpcLoad.class, true),
          new Served(ZooKeeperMain.class, "nio", ZooKeeperLoad.class, false),
          new Served(ZooKeeperMain.class, "netty", ZooKeeperLoad.class, true),
          new Served(KafkaMain.class, "", KafkaLoad.class, true));

  /// One way to run a server.
  ///
  /// @param variant what [Launch] calls so
  /// @param load run in a process of its own, on the server's engine; null for [HttpLoad]
  /// @param hasTls false if it has none
  private record Served(Class<?> main, String variant, @Nullable Class<?> load, boolean hasTls) {
    static Served http(Class<?> main) {
      return new Served(main, "", null, true);
    }

    List<String> engines() {
      return variant.equals(BLOCKING) ? List.of(ServerProcess.CONTROL) : ENGINES;
    }

    String name() {
      return main.getSimpleName().replace("Main", "") + (variant.isEmpty() ? "" : " " + variant);
    }
  }

  @TestFactory
  Stream<DynamicTest> everyByteIsRightAndTheEndIsClean() throws Exception {
    Path keyStore = keyStore();
    String only = System.getProperty("sluice.servers.only", "");
    List<DynamicTest> tests = new ArrayList<>();
    for (Served server : SERVERS) {
      for (String engine : server.engines()) {
        add(tests, server, engine, "", only);
        if (server.hasTls()) {
          add(tests, server, engine, keyStore.toString(), only);
        }
      }
      if (server.load() == null) { // TLS is the application's, so one server's is enough
        add(tests, server, ServerProcess.STATIC, "", only);
      }
      if (server.main() == JettyMain.class) {
        add(tests, server, ServerProcess.STATIC, keyStore.toString(), only);
      }
    }
    return Slice.current().seeds(tests.size()).mapToObj(i -> tests.get((int) i));
  }

  private static void add(
      List<DynamicTest> tests, Served server, String engine, String keyStore, String only) {
    String name = server.name() + (keyStore.isEmpty() ? " plain " : " tls ") + engine;
    if (name.contains(only)) {
      ServerAttempts.Check check = attempt -> check(server, engine, keyStore, name, attempt);
      tests.add(DynamicTest.dynamicTest(name, () -> ServerAttempts.run(name, check, System.out)));
    }
  }

  private static void check(Served server, String engine, String keyStore, String name, int attempt)
      throws Exception {
    Path directory = TARGET.resolve(name.replace(' ', '-') + (attempt == 1 ? "" : "-" + attempt));
    delete(directory);
    boolean files = engine.equals(ServerProcess.STATIC) && keyStore.isEmpty();
    if (engine.equals(ServerProcess.STATIC)) {
      HttpLoad.writeFiles(ServerProcess.files(directory));
    }
    List<String> arguments = List.of(keyStore, directory.toString(), server.variant());
    try (ServerProcess process = ServerProcess.start(server.main(), engine, directory, arguments)) {
      int port = process.port();
      System.out.println(name);
      try {
        if (server.load() == null) {
          int answered =
              new HttpLoad(port, keyStore.isEmpty() ? null : Launch.trusting(), files).run();
          assertThat(answered).isEqualTo(HttpLoad.CONNECTIONS * HttpLoad.REQUESTS);
        } else {
          String trust =
              keyStore.isEmpty()
                  ? ""
                  : Path.of(keyStore).resolveSibling(Launch.TRUST_STORE).toString();
          load(server.load(), engine, directory, List.of(trust, "" + port, server.variant()));
        }
      } catch (Exception | AssertionError e) {
        throw new AssertionError(name + ": " + e + "\n" + process.threads() + process.tail(), e);
      }
      process.terminate();
      assertThat(process.end()).as("%s: exit code of SIGTERM", name).isEqualTo(143);
      assertThat(process.lines()).as(name).contains(Launch.STOPPED);
      assertThat(process.problems()).as("%s\n%s", name, process.tail()).isEmpty();
      process.assertSelectsOn(engine);
      if (files && server.main() == TomcatMain.class) {
        assertThat(process.lines()).anyMatch(line -> line.contains("by the thread that selects"));
      }
    }
  }

  private static void load(Class<?> main, String engine, Path directory, List<String> arguments)
      throws Exception {
    String on = System.getProperty("sluice.servers.load", engine);
    try (ServerProcess load = ServerProcess.start(main, on, directory, arguments)) {
      assertThat(load.end()).as("exit code of the load\n%s", load.tail()).isZero();
      assertThat(load.lines()).contains(LoadLaunch.DONE);
      assertThat(load.problems()).as("the load\n%s", load.tail()).isEmpty();
      load.assertSelectsOn(on);
    }
  }

  private static Path keyStore() throws Exception {
    Files.createDirectories(TARGET);
    Path file = TARGET.resolve("key.p12");
    Files.deleteIfExists(file);
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keyalg",
                "EC",
                "-alias",
                "server",
                "-dname",
                "CN=localhost",
                "-ext",
                "san=dns:localhost,ip:" + Launch.HOST,
                "-validity",
                "3650",
                "-storetype",
                "PKCS12",
                "-storepass",
                Launch.PASSWORD,
                "-keystore",
                file.toString())
            .redirectErrorStream(true)
            .redirectOutput(TARGET.resolve("keytool.log").toFile())
            .start();
    assertThat(keytool.waitFor(180, TimeUnit.SECONDS)).isTrue();
    assertThat(file).exists();
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      keys.load(in, Launch.PASSWORD.toCharArray());
    }
    KeyStore trust = KeyStore.getInstance("PKCS12");
    trust.load(null, null);
    trust.setCertificateEntry("server", keys.getCertificate("server"));
    try (OutputStream out = Files.newOutputStream(file.resolveSibling(Launch.TRUST_STORE))) {
      trust.store(out, Launch.PASSWORD.toCharArray());
    }
    return file;
  }

  private static void delete(Path directory) throws IOException {
    if (Files.exists(directory)) {
      try (Stream<Path> files = Files.walk(directory)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }
}
