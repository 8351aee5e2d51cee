package sluice.bench.domain;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.management.ClassLoadingMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import sluice.domain.Domain;
import sluice.domain.DomainConfig;
import sluice.domain.translate.Refused;
import sluice.domain.translate.Translator;
import sluice.verify.ClassFiles;

/// Loads the classes of Commons CSV in a new domain each time; the measured time is that of one
/// class, including the superclasses. Owned by the worker's main thread.
final class DomainLoading implements Work {
  private final Path[] jars;
  private final List<String> names = new ArrayList<>();
  private final String system;
  private final Path store;
  private final Map<String, byte[]> translated = new HashMap<>();
  private final int classes;
  private final List<MemoryPoolMXBean> pools =
      ManagementFactory.getMemoryPoolMXBeans().stream()
          .filter(pool -> pool.getName().equals("Metaspace"))
          .toList();
  private long nanos;
  private double bytes;
  private long loads;

  /// Lets the JVM define translated classes from memory, which is the part that no store can save.
  private final class Defining extends ClassLoader {
    Defining() {
      super(ClassLoader.getPlatformClassLoader());
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      byte[] found = translated.get(name);
      if (found == null) {
        throw new ClassNotFoundException(name);
      }
      return defineClass(name, found, 0, found.length);
    }
  }

  DomainLoading(String system) throws Exception {
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
              .filter(entry -> !entry.endsWith("package-info.class"))
              .forEach(entry -> names.add(entry.substring(0, entry.length() - 6)));
        }
      }
    }
    names.replaceAll(name -> name.replace('/', '.'));
    store = Files.createTempDirectory("sluice-bench-store");
    plain();
    classes = plain();
    if (system.equals(DomainBench.DEFINE)) {
      translate();
    }
    nanos = 0;
  }

  /// Loads the classes without a domain.
  ///
  /// @return the number of classes that are loaded, from the second time on
  private int plain() throws Exception {
    ClassLoadingMXBean loading = ManagementFactory.getClassLoadingMXBean();
    long before = loading.getTotalLoadedClassCount();
    try (URLClassLoader loader = DomainWorks.plainLoader()) {
      for (String name : names) {
        Class.forName(name, false, loader);
      }
    }
    return (int) Math.max(names.size(), loading.getTotalLoadedClassCount() - before);
  }

  private void translate() throws IOException {
    Map<String, byte[]> all = new HashMap<>();
    for (Path jar : jars) {
      ClassFiles.read(
          jar, (_, file) -> all.put(ClassFile.of().parse(file).thisClass().asInternalName(), file));
    }
    Translator translator = new Translator();
    all.forEach((name, file) -> {
      try {
        translated.put(name.replace('/', '.'), translator.translate(file, all::get));
      } catch (Refused e) {
        // It is not loaded here either, or the domain refuses it as well.
      }
    });
  }

  @Override
  public long run(int times) throws Exception {
    for (int i = 0; i < times; i++) {
      if (system.equals(DomainBench.LOADER)) {
        try (URLClassLoader loader = DomainWorks.plainLoader()) {
          load(loader);
        }
      } else if (system.equals(DomainBench.DEFINE)) {
        load(new Defining());
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
    long before = metaspace();
    long start = System.nanoTime();
    for (String name : names) {
      Class.forName(name, false, loader);
    }
    nanos += (System.nanoTime() - start) / classes;
    long more = metaspace() - before;
    if (more > 0) { // or classes were unloaded meanwhile
      bytes += (double) more / classes;
      loads++;
    }
  }

  /// Returns the bytes in use; the pool includes those of class pointers.
  private long metaspace() {
    return pools.stream().mapToLong(pool -> pool.getUsage().getUsed()).sum();
  }

  /// Returns the mean of all loads since the last call.
  @Override
  public Map<String, Double> extra() {
    double each = bytes / Math.max(1, loads);
    bytes = 0;
    loads = 0;
    return Map.of("metaspace_bytes", each);
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
