package sluice.verify;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Loads compiled test classes as components.
final class Corpus {
  private Corpus() {}

  static byte[] bytes(Class<?> type) {
    String file = type.getName().substring(type.getPackageName().length() + 1) + ".class";
    try (InputStream in = type.getResourceAsStream(file)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Returns the class files of a class and its direct member classes, by class name.
  static Map<String, byte[]> nest(Class<?> type) {
    Map<String, byte[]> classes = new LinkedHashMap<>();
    classes.put(type.getName(), bytes(type));
    for (Class<?> member : type.getDeclaredClasses()) {
      classes.putAll(nest(member));
    }
    return classes;
  }

  static Component component(Map<String, byte[]> classes) {
    Component component = new Component();
    classes.forEach(component::add);
    return component;
  }

  static Verification verify(Map<String, byte[]> classes, Limits limits) {
    return Verifier.verify(component(classes), CostTable.standard(), limits);
  }

  /// Returns the standard table with the cost of all JDK methods set to 0, so that their estimates
  /// cannot hide an error in the bound of the bytecodes.
  static CostTable withoutWork() throws IOException {
    try (InputStream in = CostTable.class.getResourceAsStream("costs.txt")) {
      String lines = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return CostTable.standard().with("costs.txt", lines.replaceAll(" work \\S+", " work 0"));
    }
  }

  static List<String> source(String file) throws IOException {
    return Files.readAllLines(Path.of("src/test/java/sluice/verify", file));
  }
}
