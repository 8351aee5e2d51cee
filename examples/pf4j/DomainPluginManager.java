import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.spi.ToolProvider;
import org.pf4j.ExtensionFactory;
import org.pf4j.JarPluginManager;
import org.pf4j.PluginDescriptor;
import org.pf4j.PluginLoader;
import sluice.domain.Budget;
import sluice.domain.Domain;
import sluice.domain.DomainConfig;
import sluice.domain.DomainEnded;

/// A plug-in manager of PF4J that hosts each plug-in in a domain: unmodified plug-ins get streams,
/// properties, threads, a budget and an end of their own. An extension is given to the program
/// behind a proxy, whose calls end with [DomainEnded] when the domain ends.
///
/// Shared with the program are PF4J itself and the packages of the extension points.
///
/// Run: `./sluice example pf4j` builds a plug-in as PF4J's users do, loads it, ends it while it
/// loops, and loads it again.
public final class DomainPluginManager extends JarPluginManager {
  private final Map<Path, Domain> domains = new ConcurrentHashMap<>();
  private final Budget budget;
  private final String[] shared;

  /// @param plugins the directory of the plug-ins' jars
  /// @param extensionPoints beginnings of the names of the classes that plug-ins share with the
  ///   program
  public DomainPluginManager(Path plugins, Budget budget, String... extensionPoints) {
    super(plugins);
    this.budget = budget;
    List<String> all = new ArrayList<>(List.of("org.pf4j.", "org.slf4j."));
    all.addAll(List.of(extensionPoints));
    shared = all.toArray(new String[0]);
  }

  @Override
  protected PluginLoader createPluginLoader() {
    return new PluginLoader() {
      @Override
      public boolean isApplicable(Path jar) {
        return Files.isRegularFile(jar) && jar.toString().endsWith(".jar");
      }

      @Override
      public ClassLoader loadPlugin(Path jar, PluginDescriptor descriptor) {
        try {
          DomainConfig config =
              DomainConfig.of(descriptor.getPluginId(), jar)
                  .withShared(shared)
                  .withBudget(budget);
          Domain domain = Domain.create(config);
          domains.put(jar, domain);
          return domain.loader();
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    };
  }

  @Override
  protected ExtensionFactory createExtensionFactory() {
    return new ExtensionFactory() {
      @Override
      @SuppressWarnings("unchecked") // PF4J asks for the class and uses the extension point
      public <T> T create(Class<T> extension) {
        for (Domain each : domains.values()) {
          if (each.loader() == extension.getClassLoader()) {
            return (T) inside(each, extension);
          }
        }
        throw new IllegalArgumentException(extension + " is of no plug-in in a domain");
      }
    };
  }

  private static Object inside(Domain domain, Class<?> extension) {
    Object made = call(domain, () -> extension.getDeclaredConstructor().newInstance());
    List<Class<?>> points = new ArrayList<>();
    for (Class<?> at = extension; at != null; at = at.getSuperclass()) {
      points.addAll(List.of(at.getInterfaces()));
    }
    return java.lang.reflect.Proxy.newProxyInstance(
        extension.getClassLoader(),
        points.toArray(new Class<?>[0]),
        (_, method, arguments) ->
            domain.call(() -> {
              try {
                return method.invoke(made, arguments);
              } catch (InvocationTargetException e) {
                if (e.getCause() instanceof Exception thrown) {
                  throw thrown;
                }
                throw e;
              }
            }));
  }

  private static <T> T call(Domain domain, Callable<T> task) {
    try {
      return domain.call(task);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /// Ends the domain of a plug-in: what runs in it ends at its next gate.
  public void kill(String plugin) {
    domains.get(getPlugin(plugin).getPluginPath()).kill();
  }

  @Override
  public boolean unloadPlugin(String plugin) {
    Path jar = getPlugin(plugin).getPluginPath();
    boolean isUnloaded = super.unloadPlugin(plugin);
    Domain domain = domains.remove(jar);
    if (domain != null) {
      domain.kill();
    }
    return isUnloaded;
  }

  /// What the demonstration's plug-in extends. Its source is compiled against PF4J's jar only.
  private static final String GREETING =
      """
      package demo;
      public interface Greeting extends org.pf4j.ExtensionPoint { String greet(String name); }
      """;

  private static final String PLUGIN =
      """
      package demo.polite;
      import org.pf4j.Extension;
      public class Polite extends org.pf4j.Plugin {
        @Override public void start() { System.out.println("plug-in started"); }
        @Extension
        public static class Hello implements demo.Greeting {
          public String greet(String name) {
            long turns = 0;
            while (name.equals("loop")) { turns++; }
            return "hello " + name;
          }
        }
      }
      """;

  public static void main(String[] args) throws Exception {
    Path work = Files.createTempDirectory("sluice-pf4j");
    DomainPluginManager manager = null;
    try {
      Path program = compile(work, "Greeting", GREETING);
      Path plugins = Files.createDirectory(work.resolve("plugins"));
      pack(compile(work, "Polite", PLUGIN), plugins.resolve("polite.jar"));
      try (var loader = new java.net.URLClassLoader(new java.net.URL[] {program.toUri().toURL()})) {
        Thread.currentThread().setContextClassLoader(loader);
        Class<?> point = loader.loadClass("demo.Greeting");
        manager = new DomainPluginManager(plugins, Budget.parse("cpu=50%,threads=4"), "demo.G");
        manager.loadPlugins();
        manager.startPlugins();
        System.out.println("greeted: " + greet(manager, point, "world"));
        endWhileItLoops(manager, point);
        manager.unloadPlugin("polite");
        manager.loadPlugin(plugins.resolve("polite.jar"));
        manager.startPlugins();
        System.out.println("greeted again: " + greet(manager, point, "world"));
      }
    } finally {
      if (manager != null && manager.getPlugin("polite") != null) {
        manager.unloadPlugin("polite");
      }
      try (var files = Files.walk(work)) {
        for (Path each : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(each);
        }
      }
    }
  }

  private static void endWhileItLoops(DomainPluginManager manager, Class<?> point)
      throws Exception {
    Domain domain = manager.domains.values().iterator().next();
    Object[] outcome = new Object[1];
    Thread caller =
        Thread.ofPlatform().start(() -> {
          try {
            outcome[0] = greet(manager, point, "loop");
          } catch (Exception e) {
            outcome[0] = e;
          }
        });
    Thread.sleep(200);
    long begin = System.nanoTime();
    manager.kill("polite");
    caller.join();
    System.out.println("the caller of a looping extension got: " + outcome[0]);
    System.out.println("after " + (System.nanoTime() - begin) / 1_000 + " us");
    System.out.println("no thread is left: " + domain.awaitEnd(Duration.ofSeconds(10)));
  }

  private static Object greet(DomainPluginManager manager, Class<?> point, String name)
      throws Exception {
    Object extension = manager.getExtensions(point).getFirst();
    try {
      return point.getMethod("greet", String.class).invoke(extension, name);
    } catch (InvocationTargetException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  private static Path compile(Path work, String name, String source) throws IOException {
    String to = name.equals("Greeting") ? "program" : "plugin";
    Path out = Files.createDirectories(work.resolve(to));
    Path file = Files.writeString(work.resolve(name + ".java"), source);
    String path = System.getProperty("java.class.path") + ":" + work.resolve("program");
    int code =
        ToolProvider.findFirst("javac")
            .orElseThrow()
            .run(
                System.err, System.err, "-proc:full", "-d", "" + out, "-cp", path, "" + file);
    if (code != 0) {
      throw new IllegalStateException("javac failed for " + name);
    }
    return out;
  }

  private static void pack(Path classes, Path jar) throws IOException {
    try (JarOutputStream to = new JarOutputStream(Files.newOutputStream(jar));
        var files = Files.walk(classes)) {
      to.putNextEntry(new JarEntry("META-INF/MANIFEST.MF"));
      to.write(
          """
          Manifest-Version: 1.0
          Plugin-Id: polite
          Plugin-Version: 1.0.0
          Plugin-Class: demo.polite.Polite
          """
              .getBytes());
      for (Path each : files.filter(Files::isRegularFile).toList()) {
        to.putNextEntry(new JarEntry(classes.relativize(each).toString()));
        to.write(Files.readAllBytes(each));
      }
    }
  }
}
