package sluice.loop.sockets;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// Opens the files of Sluice's classes while descriptors are available. A class that is first used
/// when no descriptor is left cannot be loaded, and remains missing. A jar is opened, and its class
/// loader keeps it open; a startup cache alone does not open it. In a directory each class has a
/// separate file, so all of them are loaded without being initialized. Any thread may call.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | READY, DIRECTORIES | holder of the class's lock | under lock | under lock |
public final class ClassFiles {
  private static final String SUFFIX = ".class";
  private static final String OURS = "sluice.";

  private static final Set<Class<?>> READY = new HashSet<>();
  private static final Set<URI> DIRECTORIES = new HashSet<>();

  private ClassFiles() {}

  /// Opens the jar or loads the directory of each class. Has no effect for jars and directories
  /// that have already been processed, and for classes outside of Sluice.
  public static synchronized void ready(Class<?>... classes) {
    for (Class<?> each : classes) {
      if (each.getName().startsWith(OURS) && !each.isHidden() && READY.add(each)) {
        open(each);
      }
    }
  }

  private static void open(Class<?> any) {
    String file = '/' + any.getName().replace('.', '/') + SUFFIX;
    URL found = any.getResource(file); // opens a jar
    if (found == null || !found.getProtocol().equals("file")) {
      return;
    }
    String place = found.toString();
    try {
      URI root = new URI(place.substring(0, place.length() - file.length()) + '/');
      if (DIRECTORIES.add(root)) {
        loadAll(Path.of(root), any.getClassLoader());
      }
    } catch (URISyntaxException | IOException e) {
      return; // as before: each class is loaded when it is used
    }
  }

  private static void loadAll(Path root, ClassLoader loader) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(root)) {
      files = all.map(root::relativize).filter(each -> each.toString().endsWith(SUFFIX)).toList();
    }
    for (Path each : files) {
      String name = each.toString().replace('/', '.');
      if (name.startsWith(OURS)) {
        load(name.substring(0, name.length() - SUFFIX.length()), loader);
      }
    }
  }

  private static void load(String name, ClassLoader loader) {
    try {
      Class.forName(name, false, loader);
    } catch (ClassNotFoundException | LinkageError e) {
      return; // for an agent or a library that is not here
    }
  }
}
