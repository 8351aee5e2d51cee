package sluice.testbase.report;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/// The Maven modules of a source tree, those of profiles left out, and which of them depend on
/// which. Used by one thread.
final class SourceModules {
  private final Path root;
  private final Map<String, Module> modules = new LinkedHashMap<>();

  /// @param artifact its own name
  /// @param needs names of artifacts, of other projects too
  private record Module(String artifact, Set<String> needs) {}

  private SourceModules(Path root) {
    this.root = root;
  }

  /// @throws IOException when a `pom.xml` is missing or is no XML
  static SourceModules read(Path root) throws IOException {
    SourceModules all = new SourceModules(root);
    for (String name : texts(root.resolve("pom.xml"), "project/modules/module")) {
      Path pom = root.resolve(name).resolve("pom.xml");
      List<String> needs = texts(pom, "project/dependencies/dependency/artifactId");
      String artifact = texts(pom, "project/artifactId").getFirst();
      all.modules.put(name, new Module(artifact, new LinkedHashSet<>(needs)));
    }
    return all;
  }

  /// Modules with a file or a directory below `src`, or a `pom.xml`, that is newer; all of them
  /// when the `pom.xml` of the root is.
  Set<String> changedSince(FileTime time) throws IOException {
    Set<String> changed = new LinkedHashSet<>();
    boolean all = isNewer(root.resolve("pom.xml"), time);
    for (String name : modules.keySet()) {
      Path home = root.resolve(name);
      if (all || isNewer(home.resolve("pom.xml"), time) || hasNewer(home.resolve("src"), time)) {
        changed.add(name);
      }
    }
    return changed;
  }

  /// Modules that need one of these, directly or through others; not these themselves.
  Set<String> dependents(Set<String> of) {
    Set<String> found = new LinkedHashSet<>();
    boolean grown = true;
    while (grown) {
      grown = false;
      for (Map.Entry<String, Module> module : modules.entrySet()) {
        if (!of.contains(module.getKey()) && needsOne(module.getValue(), of, found)) {
          grown |= found.add(module.getKey());
        }
      }
    }
    return found;
  }

  private boolean needsOne(Module module, Set<String> some, Set<String> others) {
    for (Map.Entry<String, Module> other : modules.entrySet()) {
      boolean wanted = some.contains(other.getKey()) || others.contains(other.getKey());
      if (wanted && module.needs().contains(other.getValue().artifact())) {
        return true;
      }
    }
    return false;
  }

  /// The sources of the test classes of a module, sorted by path.
  List<Path> tests(String module) throws IOException {
    Path sources = root.resolve(module).resolve("src/test/java");
    if (!Files.isDirectory(sources)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(sources)) {
      return files
          .filter(file -> file.getFileName().toString().endsWith("Test.java"))
          .sorted()
          .toList();
    }
  }

  /// The class in a file of [#tests].
  String className(String module, Path source) {
    String path = root.resolve(module).resolve("src/test/java").relativize(source).toString();
    return path.substring(0, path.length() - ".java".length()).replace('/', '.');
  }

  static boolean isNewer(Path file, FileTime time) throws IOException {
    return Files.exists(file) && Files.getLastModifiedTime(file).compareTo(time) > 0;
  }

  private static boolean hasNewer(Path directory, FileTime time) throws IOException {
    if (!Files.isDirectory(directory)) {
      return false;
    }
    try (Stream<Path> files =
        Files.find(
            directory,
            Integer.MAX_VALUE,
            (_, attributes) -> attributes.lastModifiedTime().compareTo(time) > 0)) {
      return files.findAny().isPresent();
    }
  }

  /// The texts of all elements with this path from the root of a document.
  private static List<String> texts(Path file, String path) throws IOException {
    XMLInputFactory factory = XMLInputFactory.newFactory();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    factory.setProperty(XMLInputFactory.IS_COALESCING, true);
    List<String> found = new ArrayList<>();
    List<String> above = new ArrayList<>();
    try (InputStream in = Files.newInputStream(file)) {
      XMLStreamReader xml = factory.createXMLStreamReader(in);
      while (xml.hasNext()) {
        int event = xml.next();
        if (event == XMLStreamConstants.START_ELEMENT) {
          above.add(xml.getLocalName());
          if (String.join("/", above).equals(path)) {
            found.add(xml.getElementText().strip());
            above.removeLast();
          }
        } else if (event == XMLStreamConstants.END_ELEMENT) {
          above.removeLast();
        }
      }
      return found;
    } catch (XMLStreamException e) {
      throw new IOException(file + ": " + e.getMessage(), e);
    }
  }
}
