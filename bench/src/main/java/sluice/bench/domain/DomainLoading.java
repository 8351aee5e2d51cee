package sluice.bench.domain;

import java.io.IOException;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import sluice.domain.Domain;
import sluice.domain.DomainConfig;

/// Loads the classes of Commons CSV in a new domain each time; the time is that of one class. Owned
/// by the worker's main thread.
final class DomainLoading implements Work {
  private final Path[] jars;
  private final List<String> names = new ArrayList<>();
  private final String system;
  private final Path store;
  private long nanos;

  DomainLoading(String system) throws IOException {
    this.system = system;
    jars =
        Stream.of(DomainWorks.jars())
            .filter(jar -> jar.toString().endsWith(".jar"))
            .filter(jar -> !jar.toString().contains("sluice-"))
            .toArray(Path[]::new);
    for (Path jar : jars) {
      if (String.valueOf(jar.getFileName()).startsWith("commons-csv")) {
        try (JarFile file = new JarFile(jar.toFile())) {
          file.stream()
              .map(entry -> entry.getName())
              .filter(entry -> entry.startsWith("org/") && entry.endsWith(".class"))
              .forEach(entry -> names.add(entry.substring(0, entry.length() - 6)));
        }
      }
    }
    names.replaceAll(name -> name.replace('/', '.'));
    store = Files.createTempDirectory("sluice-bench-store");
  }

  @Override
  public long run(int times) throws Exception {
    for (int i = 0; i < times; i++) {
      if (system.equals(DomainBench.LOADER)) {
        try (URLClassLoader loader = DomainWorks.plainLoader()) {
          load(loader);
        }
      } else {
        try (Domain domain = Domain.create(config())) {
          load(domain.loader());
        }
      }
    }
    return times;
  }

  private DomainConfig config() {
    DomainConfig config = DomainWorks.config(jars);
    return system.equals(DomainBench.OURS) ? config.withCache(store) : config;
  }

  private void load(ClassLoader loader) throws ClassNotFoundException {
    long start = System.nanoTime();
    for (String name : names) {
      Class.forName(name, false, loader);
    }
    nanos += (System.nanoTime() - start) / names.size();
  }

  @Override
  public long measuredNanos() {
    long since = nanos;
    nanos = 0;
    return since;
  }

  @Override
  public void close() throws IOException {
    try (Stream<Path> files = Files.walk(store)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
