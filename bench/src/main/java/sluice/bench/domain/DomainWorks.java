package sluice.bench.domain;

import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntToLongFunction;
import sluice.domain.Budget;
import sluice.domain.Domain;
import sluice.domain.DomainConfig;

/// The systems of bench domain. Stateless: each work has its own domains.
final class DomainWorks {
  /// The kernels by name, with the class of each.
  static final Map<String, String> KERNELS = kernels();

  private static final AtomicInteger NUMBERS = new AtomicInteger();

  private DomainWorks() {}

  private static Map<String, String> kernels() {
    Map<String, String> kernels = new LinkedHashMap<>();
    kernels.put("json", "JsonKernel");
    kernels.put("csv", "CsvKernel");
    kernels.put("regex", "RegexKernel");
    kernels.put("compression", "CompressionKernel");
    kernels.put("sorting", "SortKernel");
    kernels.put("template", "TemplateKernel");
    return kernels;
  }

  static Work of(String name, String system) throws Exception {
    if (name.startsWith(DomainBench.KERNEL)) {
      String type = KERNELS.get(name.substring(DomainBench.KERNEL.length()));
      if (type == null) {
        throw WorkCase.unknown(name, system);
      }
      return kernel("sluice.bench.kernel." + type, system);
    }
    if (name.startsWith(DomainBench.BESIDE)) {
      return hogs(name, system);
    }
    return switch (name) {
      case DomainBench.CREATE -> DomainLife.create(system.equals(DomainBench.OURS));
      case DomainBench.END -> new DomainEnd();
      case DomainBench.NEIGHBOUR -> new DomainNeighbour(system.equals(DomainBench.KILLS));
      case DomainBench.LOAD -> new DomainLoading(system);
      default -> throw WorkCase.unknown(name, system);
    };
  }

  private static Work hogs(String name, String system) throws Exception {
    String hog = DomainHogs.KINDS.get(name.substring(DomainBench.BESIDE.length()));
    return switch (system) {
      case DomainBench.ALONE, DomainBench.PLATFORM_ALONE ->
          new DomainHogs(() -> config(jars()), null, false);
      case DomainBench.ONE, DomainBench.PLATFORM_ONE ->
          new DomainHogs(() -> config(jars()), hog, false);
      case DomainBench.MANY, DomainBench.PLATFORM_MANY ->
          new DomainHogs(() -> config(jars()), hog, true);
      default -> throw WorkCase.unknown(name, system);
    };
  }

  /// Returns a configuration with a name that no living domain has.
  static DomainConfig config(Path... jars) {
    return DomainConfig.of("bench-" + NUMBERS.incrementAndGet(), jars);
  }

  /// Returns the jars of the kernels and their libraries, from this process's class path, or module
  /// path.
  static Path[] jars() {
    List<Path> jars = new ArrayList<>();
    String both =
        System.getProperty("java.class.path", "")
            + File.pathSeparator
            + System.getProperty("jdk.module.path", "");
    for (String entry : both.split(File.pathSeparator, -1)) {
      String file = String.valueOf(Path.of(entry).getFileName());
      boolean isOurs = file.startsWith("sluice-bench") || entry.contains("bench/target/classes");
      if (isOurs || file.startsWith("gson-") || file.startsWith("commons-")) {
        jars.add(Path.of(entry));
      }
    }
    return jars.toArray(new Path[0]);
  }

  static URLClassLoader plainLoader() throws MalformedURLException {
    List<URL> urls = new ArrayList<>();
    for (Path jar : jars()) {
      urls.add(jar.toUri().toURL());
    }
    return new URLClassLoader(urls.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
  }

  private static Work kernel(String type, String system) throws Exception {
    return switch (system) {
      case DomainBench.PLAIN -> {
        IntToLongFunction kernel = make(plainLoader(), type);
        yield kernel::applyAsLong;
      }
      case DomainBench.GATES -> inside(Domain.create(config(jars())), type);
      case DomainBench.METERED -> {
        Domain domain = Domain.create(config(jars()).withBudget(Budget.parse("cpu=50%")));
        overdraw(domain);
        yield inside(domain, type);
      }
      default -> throw WorkCase.unknown(DomainBench.KERNEL + type, system);
    };
  }

  private static IntToLongFunction make(ClassLoader loader, String type) throws Exception {
    return Class.forName(type, true, loader)
        .asSubclass(IntToLongFunction.class)
        .getDeclaredConstructor()
        .newInstance();
  }

  private static Work inside(Domain domain, String type) throws Exception {
    IntToLongFunction kernel = domain.call(() -> make(domain.loader(), type));
    return new Work() {
      @Override
      public long run(int times) throws Exception {
        return domain.call(() -> kernel.applyAsLong(times));
      }

      @Override
      public void close() {
        domain.kill();
      }
    };
  }

  /// Lets a domain exceed its budget once, so that its gates check from then on if they have to
  /// hold, and waits until it is no longer held.
  private static void overdraw(Domain domain) throws IOException, InterruptedException {
    Thread burning =
        domain.start(
            "burning",
            () -> {
              while (!domain.stat().isHeld()) {
                Thread.onSpinWait();
              }
            });
    burning.join();
    while (domain.stat().isHeld()) {
      Thread.sleep(5);
    }
  }
}
