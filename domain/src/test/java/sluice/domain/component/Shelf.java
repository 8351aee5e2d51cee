package sluice.domain.component;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarOutputStream;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;

/// Builds components for tests: compiles sources that do not know Sluice, and packs each into a
/// jar.
final class Shelf {
  static final String API =
      """
      package shop;
      public interface Prices { long cents(String article); Offer offer(String article); }
      """;
  static final String OFFER = "package shop; public record Offer(String article, long cents) {}";
  static final String TILL_API =
      "package till; public interface Till { long sum(java.util.List<String> articles); }";
  static final String TILL =
      """
      package till.impl;
      public class PlainTill implements till.Till {
        private final shop.Prices prices;
        public PlainTill(shop.Prices prices) { this.prices = prices; }
        public long sum(java.util.List<String> articles) {
          long sum = 0;
          for (String each : articles) { sum += prices.offer(each).cents(); }
          return sum;
        }
        public String kind() { return prices.getClass().getName(); }
      }
      """;

  private final Path directory;
  private int count;

  Shelf(Path directory) {
    this.directory = directory;
  }

  /// Returns the source of the price list, whose answers are multiplied by a factor.
  static String priceList(int factor) {
    return """
    package shop.impl;
    public class PriceList implements shop.Prices {
      public PriceList() {}
      public long cents(String article) { return article.length() * %dL; }
      public shop.Offer offer(String article) {
        return new shop.Offer(article, cents(article));
      }
    }
    """
        .formatted(factor);
  }

  /// Compiles sources and packs them into a jar.
  ///
  /// @param path the jars that the sources use besides the JDK
  Path jar(String name, List<Path> path, String... sources) throws IOException {
    return jar(directory.resolve(name + ".jar"), path, sources);
  }

  Path jar(Path jar, List<Path> path, String... sources) throws IOException {
    Path work = Files.createDirectories(directory.resolve("work" + count++));
    Path classes = Files.createDirectories(work.resolve("classes"));
    List<String> words = new ArrayList<>(List.of("-d", classes.toString(), "-proc:none"));
    StringBuilder classPath = new StringBuilder(classes.toString());
    path.forEach(each -> classPath.append(':').append(each));
    words.addAll(List.of("-cp", classPath.toString()));
    for (int i = 0; i < sources.length; i++) {
      String type = sources[i].replaceFirst("(?s).*?(class|interface|record|enum) (\\w+).*", "$2");
      Path file = Files.createDirectories(work.resolve("" + i)).resolve(type + ".java");
      words.add(Files.writeString(file, sources[i]).toString());
    }
    StringWriter problems = new StringWriter();
    PrintWriter to = new PrintWriter(problems);
    ToolProvider compiler = ToolProvider.findFirst("javac").orElseThrow();
    if (compiler.run(to, to, words.toArray(String[]::new)) != 0) {
      throw new AssertionError(problems.toString());
    }
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
        Stream<Path> files = Files.walk(classes)) {
      for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
        out.putNextEntry(new ZipEntry(classes.relativize(file).toString()));
        out.write(Files.readAllBytes(file));
      }
    }
    return jar;
  }

  /// Returns a price list and a till that needs it, with each interface in a component of its own.
  List<Component> shop() throws IOException {
    Path api = jar("shop-api", List.of(), API, OFFER);
    Path tillApi = jar("till-api", List.of(), TILL_API);
    Path prices = jar("prices", List.of(api), priceList(2));
    Path till = jar("till", List.of(api, tillApi), TILL);
    return List.of(
        Component.library("shop-api", List.of(api)),
        Component.library("till-api", List.of(tillApi)),
        new Component(
            "till",
            List.of(till),
            List.of("shop-api", "till-api"),
            List.of("shop.Prices"),
            Provided.of("till.Till"),
            "till.impl.PlainTill"),
        new Component(
            "prices",
            List.of(prices),
            List.of("shop-api"),
            List.of(),
            Provided.of("shop.Prices"),
            "shop.impl.PriceList"));
  }
}
