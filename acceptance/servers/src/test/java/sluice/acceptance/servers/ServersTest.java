package sluice.acceptance.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import sluice.testkit.Slice;

/// Unmodified servers on each of our engines and on the JDK: every byte is right, and SIGTERM ends
/// them without an exception.
///
/// `-Dsluice.servers.only=TEXT` runs those whose name has the text.
@Tag("acceptance")
class ServersTest {
  private static final Path TARGET = Path.of("target", "servers").toAbsolutePath();
  private static final List<String> ENGINES =
      List.of(ServerProcess.CONTROL, "readiness", "completion");

  private static final List<Class<?>> SERVERS =
      List.of(
          JdkServerMain.class,
          TomcatMain.class,
          JettyMain.class,
          UndertowMain.class,
          NettyMain.class,
          VertxMain.class,
          GrizzlyMain.class);

  @TestFactory
  Stream<DynamicTest> everyByteIsRightAndTheEndIsClean() throws Exception {
    Path keyStore = keyStore();
    String only = System.getProperty("sluice.servers.only", "");
    List<DynamicTest> tests = new ArrayList<>();
    for (Class<?> server : SERVERS) {
      for (boolean tls : new boolean[] {false, true}) {
        for (String engine : ENGINES) {
          String name =
              server.getSimpleName().replace("Main", "") + (tls ? " tls " : " plain ") + engine;
          if (name.contains(only)) {
            tests.add(
                DynamicTest.dynamicTest(
                    name, () -> check(server, engine, tls ? keyStore.toString() : "", name)));
          }
        }
      }
    }
    return Slice.current().seeds(tests.size()).mapToObj(i -> tests.get((int) i));
  }

  private static void check(Class<?> server, String engine, String keyStore, String name)
      throws Exception {
    Path directory = TARGET.resolve(name.replace(' ', '-'));
    delete(directory);
    List<String> arguments = List.of(keyStore, directory.toString());
    try (ServerProcess process = ServerProcess.start(server, engine, directory, arguments)) {
      int port = process.port();
      System.out.println(name);
      try {
        int answered = new HttpLoad(port, keyStore.isEmpty() ? null : Launch.trusting()).run();
        assertThat(answered).isEqualTo(HttpLoad.CONNECTIONS * HttpLoad.REQUESTS);
      } catch (Exception | AssertionError e) {
        throw new AssertionError(name + ": " + e + "\n" + process.threads() + process.tail(), e);
      }
      process.terminate();
      assertThat(process.end()).as("%s: exit code of SIGTERM", name).isEqualTo(143);
      assertThat(process.lines()).as(name).contains(Launch.STOPPED);
      assertThat(process.problems()).as("%s\n%s", name, process.tail()).isEmpty();
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
    assertThat(keytool.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(file).exists();
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
