package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.testbase.Await;

@Timeout(value = 120, unit = TimeUnit.SECONDS)
final class DomainComponentsTest {
  private static final String COMPONENTS =
      """
      [component.api]
      jars = ["api.jar"]
      [component.buyer]
      jars = ["buyer.jar"]
      depends = ["api"]
      needs = ["shop.Prices"]
      class = "Buyer"
      [component.prices]
      jars = ["prices.jar"]
      depends = ["api"]
      provides = "shop.Prices"
      class = "PriceList"
      """;
  private static final String APART =
      """
      [domain.front]
      components = ["buyer"]
      [domain.back]
      components = ["prices"]
      budget = { threads = 8 }
      """;
  private static final String TOGETHER =
      """
      [domain.back]
      components = ["prices", "buyer"]
      """;

  /// Asks for prices without end and reports each new price and each failure.
  private static final String BUYER =
      """
      public class Buyer implements Runnable {
        private final shop.Prices prices;
        public Buyer(shop.Prices prices) { this.prices = prices; }
        public void run() {
          long last = -1;
          while (true) {
            try {
              long price = prices.cents("pear");
              if (price != last) {
                System.out.println("price " + price);
                last = price;
              }
            } catch (RuntimeException e) {
              System.out.println("failed " + e);
            }
          }
        }
      }
      """;

  @TempDir Path directory;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeEach
  void pack() throws IOException {
    jar("api", "package shop; public interface Prices { long cents(String article); }");
    prices(2);
    jar("buyer", BUYER);
  }

  private void prices(int factor) throws IOException {
    jar(
        "prices",
        "public class PriceList implements shop.Prices { public long cents(String article) {"
            + " return article.length() * %dL; } }".formatted(factor));
  }

  /// Compiles a source file with the interface on its class path, and packs it into a jar.
  private void jar(String name, String source) throws IOException {
    Path work = Files.createTempDirectory(directory, name);
    String type = source.replaceFirst("(?s).*?(class|interface) (\\w+).*", "$2");
    Path file = Files.writeString(work.resolve(type + ".java"), source);
    int code =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-proc:none",
                "-d",
                work.toString(),
                "-cp",
                directory.resolve("api.jar").toString(),
                file.toString());
    assertThat(code).isZero();
    try (JarOutputStream to =
            new JarOutputStream(Files.newOutputStream(directory.resolve(name + ".jar")));
        Stream<Path> files = Files.walk(work)) {
      for (Path each : files.filter(path -> path.toString().endsWith(".class")).toList()) {
        to.putNextEntry(new ZipEntry(work.relativize(each).toString()));
        to.write(Files.readAllBytes(each));
      }
    }
  }

  private String config(String text) throws IOException {
    return Files.writeString(directory.resolve("shop.toml"), text).toString();
  }

  private int run(String... words) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    return Commands.commandLine(words)
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(words);
  }

  @Test
  void whatEachComponentLeansOnIsTold() throws IOException {
    String config = config(COMPONENTS + APART);
    assertThat(run("domain", "components", config)).as(err.toString()).isZero();
    assertThat(out.toString())
        .contains("buyer: 1 classes; closure of the interface 2 and ")
        .contains("its interface uses api: 1 classes, as PriceList uses shop.Prices")
        .contains("needs shop.Prices of prices")
        .contains("provides shop.Prices, path service");
    assertThat(run("domain", "components", config, "--json")).isZero();
    assertThat(out.toString()).contains("\"component\":\"prices\"", "\"code_closure\":2");
  }

  @Test
  void thePathOfAServiceIsTold() throws IOException {
    String fast =
        COMPONENTS.replace("class = \"PriceList\"", "class = \"PriceList\"\npath = \"fast\"");
    assertThat(run("domain", "components", config(fast + APART))).as(err.toString()).isZero();
    assertThat(out.toString()).contains("provides shop.Prices, path fast");
    String four = COMPONENTS.replace("class = \"PriceList\"", "class = \"PriceList\"\ncalls = 4");
    assertThat(run("domain", "components", config(four + APART), "--json")).isZero();
    assertThat(out.toString()).contains("\"path\":\"service\",\"calls\":4");
  }

  /// Tests a service without a bound. Only a service with a bound may run in its caller's thread.
  @Test
  void aServiceWithoutABoundIsNotFast() throws IOException {
    jar(
        "prices",
        "public class PriceList implements shop.Prices { public long cents(String article) {"
            + " while (article != null) {} return 1; } }");
    String fast =
        COMPONENTS.replace("class = \"PriceList\"", "class = \"PriceList\"\npath = \"fast\"");
    assertThat(run("domain", "run", config(fast + APART))).isOne();
    assertThat(err.toString())
        .contains(
            "component prices, path = \"fast\"", "PriceList.cents", "Fix: path = \"service\"");
  }

  @Test
  void whatDoesNotFitIsRefused() throws IOException {
    String config = config(COMPONENTS.replace("depends = [\"api\"]", "") + APART);
    assertThat(run("domain", "components", config)).isOne();
    assertThat(err.toString()).contains("uses shop.Prices of component api, not declared");
    assertThat(run("domain", "run", config)).isOne();
    assertThat(err.toString()).contains("Fix: write depends = [\"api\"]");
    assertThat(run("domain", "components", config("[domain.a]\njars = [\"api.jar\"]")))
        .isEqualTo(2);
    assertThat(err.toString()).contains("has no component").doesNotContain("Exception");
    config = config(COMPONENTS + "[domain.a]\njars = [\"api.jar\"]");
    assertThat(run("domain", "components", config)).isEqualTo(2);
    assertThat(err.toString()).contains("instead of jars, main and args");
  }

  @ParameterizedTest
  @ValueSource(strings = {APART, TOGETHER})
  void componentsRunWhereTheFileSaysAndAreReplaced(String domains) throws Exception {
    Path counters = directory.resolve("run");
    ProcessBuilder builder =
        new ProcessBuilder(SluiceProcess.command("domain", "run", config(COMPONENTS + domains)));
    builder.environment().put("SLUICE_RUN_DIR", counters.toString());
    builder.redirectError(directory.resolve("err").toFile());
    Process process = builder.start();
    String dir = "--dir=" + counters;
    try {
      BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
      assertThat(lines.readLine()).isEqualTo("price 8");
      Await.until("its counters", () -> run("domain", "stat", "back", dir) == 0);
      List<String> seen = new ArrayList<>();
      for (int factor = 3; factor < 6; factor++) {
        prices(factor);
        assertThat(run("domain", "replace", "back", dir)).as(out + " " + err).isZero();
        assertThat(out.toString()).contains("domain back of process", "was replaced");
        seen.add(lines.readLine());
      }
      assertThat(seen).containsExactly("price 12", "price 16", "price 20");
      jar("prices", "public class OtherList {}");
      assertThat(run("domain", "replace", "back", dir)).isOne();
      assertThat(out.toString())
          .contains("stays as it was", "class PriceList: it is gone", "Fix: ");
      String running = domains.contains("front") ? "front" : "back";
      assertThat(run("domain", "kill", running, dir)).isZero();
      assertThat(Await.end(process)).isOne();
      assertThat(directory.resolve("err"))
          .content()
          .contains(
              domains.contains("front")
                  ? "component buyer runs in domain front; has a portal to shop.Prices"
                  : "component buyer runs in domain back; holds shop.Prices")
          .contains("was killed by sluice domain kill");
      assertThat(counters).isEmptyDirectory();
    } finally {
      process.destroyForcibly();
    }
  }
}
