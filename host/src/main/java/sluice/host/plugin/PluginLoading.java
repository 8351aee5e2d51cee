package sluice.host.plugin;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.function.Predicate;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.jspecify.annotations.Nullable;
import sluice.domain.Domain;
import sluice.domain.translate.Refused;
import sluice.host.life.AbsentModules;
import sluice.host.text.ShellWord;
import sluice.http.plugin.HttpPlugin;
import sluice.http.plugin.StreamPlugin;
import sluice.http.plugin.ViewPlugin;
import sluice.sys.threads.Uninterrupted;
import sluice.verify.ClassFiles;
import sluice.verify.check.DomainCheck;
import sluice.verify.check.Finding;
import sluice.verify.check.RuleTable;

/// Creates the plug-in of a jar in its domain. Instances are confined to one thread. The
/// constructor of the plug-in is executed by another thread, which terminates with the domain.
///
/// The classes in the package of the plug-in are loaded by this class, so that a refused class is
/// reported at startup. Classes of other packages, such as libraries, are loaded when they are
/// first used. A refused call throws an exception when it is executed.
final class PluginLoading {
  private static final List<Class<?>> SERVICES =
      List.of(HttpPlugin.class, StreamPlugin.class, ViewPlugin.class);
  private static final String DIRECTORY = "META-INF/services/";
  private static final String SERVICE = DIRECTORY + HttpPlugin.class.getName();
  private static final String CLASS = ".class";

  private final PluginOption option;
  private final Path jar;
  private final Domain domain;

  /// Creates a loader.
  ///
  /// @param jar the file that is loaded by the domain, which is a copy of the jar that is specified
  ///   in the option
  PluginLoading(PluginOption option, Path jar, Domain domain) {
    this.option = option;
    this.jar = jar;
    this.domain = domain;
  }

  /// Returns the exception that reports a plug-in that cannot be loaded.
  static IOException problem(PluginOption option, String why, String fix) {
    return new IOException(
        "cannot load plug-in %s from %s. Why: %s. Fix: %s."
            .formatted(option.prefix(), option.jar(), why, fix));
  }

  private IOException problem(String why, String fix) {
    return problem(option, why, fix);
  }

  /// Creates the plug-in.
  ///
  /// @return an [HttpPlugin], a [StreamPlugin] or a [ViewPlugin]
  /// @throws IOException with the path, the jar, the class, the method, the reason and a fix
  Object make(Duration limit) throws IOException {
    String name = pluginClass();
    FutureTask<Object> task = new FutureTask<>(() -> domain.call(() -> instance(name)));
    Thread started = Thread.ofPlatform().daemon().name("load-" + domain.name()).unstarted(task);
    started.setContextClassLoader(domain.loader());
    started.start();
    if (!Uninterrupted.await(limit, nanos -> started.join(Duration.ofNanos(nanos)))) {
      domain.kill("its plug-in was not made in time");
      throw problem(
          "the constructor of " + name + " did not return within " + limit.toSeconds() + " s",
          "leave long work to a thread that the constructor starts, or raise --plugin-timeout");
    }
    if (task.state() == Future.State.SUCCESS) {
      return task.resultNow();
    }
    Throwable failed = task.exceptionNow();
    if (failed instanceof IOException told) {
      throw told;
    }
    throw new IOException("cannot load plug-in " + option.prefix() + ": " + failed, failed);
  }

  private String pluginClass() throws IOException {
    for (Class<?> service : SERVICES) {
      String name = named(service);
      if (!name.isEmpty()) {
        return name;
      }
    }
    throw problem(
        "it names no plug-in",
        "write the name of the class that implements HttpPlugin into " + SERVICE + " of the jar");
  }

  /// Returns the class that the jar declares for a service.
  ///
  /// @return the name of the class, or an empty string if the jar does not declare one
  private String named(Class<?> service) throws IOException {
    try (InputStream in = domain.loader().getResourceAsStream(DIRECTORY + service.getName())) {
      if (in != null) {
        for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\\R", -1)) {
          String name = line.replaceFirst("#.*", "").strip();
          if (!name.isEmpty()) {
            return name;
          }
        }
      }
    }
    return "";
  }

  /// Creates an instance. This executes code of the plug-in, so it must be called on a separate
  /// thread.
  private Object instance(String name) throws IOException {
    try {
      Class<?> type = Class.forName(name, false, domain.loader());
      loadPackage(packagePath(name));
      if (SERVICES.stream().noneMatch(service -> service.isAssignableFrom(type))) {
        throw problem(
            name + " implements none of HttpPlugin, StreamPlugin and ViewPlugin",
            "name another class in " + SERVICE);
      }
      return type.getConstructor().newInstance();
    } catch (ClassNotFoundException e) {
      throw problem("it has no class " + e.getMessage(), "build the jar again, with that class");
    } catch (NoSuchMethodException | InstantiationException | IllegalAccessException e) {
      throw problem(
          name + " is no public class with a public constructor without parameters", "make it so");
    } catch (InvocationTargetException e) {
      refuseAbsent(e.getCause());
      throw problem(
          "the constructor of " + name + " threw " + ThrownText.of(e.getCause()),
          "see the line it names");
    } catch (ExceptionInInitializerError e) {
      refuseAbsent(e.getCause());
      throw problem(
          "an initializer of a class threw " + ThrownText.of(e.getCause()),
          "see the line it names");
    } catch (Refused e) {
      throw new IOException(
          "cannot load plug-in "
              + option.prefix()
              + " from "
              + option.jar()
              + ": "
              + e.getMessage(),
          e);
    } catch (LinkageError e) {
      refuseAbsent(e);
      throw problem(ThrownText.of(e), "put all that it needs into the jar");
    }
  }

  /// Checks that no class is missing because the runtime image has been trimmed.
  ///
  /// @throws IOException if a class is missing for this reason
  private void refuseAbsent(@Nullable Throwable thrown) throws IOException {
    String why = AbsentModules.why(thrown);
    if (why != null) {
      throw problem(why, AbsentModules.FIX);
    }
  }

  private static String packagePath(String className) {
    return className.substring(0, className.lastIndexOf('.') + 1).replace('.', '/');
  }

  private void loadPackage(String path) throws IOException, ClassNotFoundException {
    try (JarFile file = new JarFile(jar.toFile())) {
      for (JarEntry entry : (Iterable<JarEntry>) file.stream()::iterator) {
        String name = entry.getName();
        if (name.startsWith(path)
            && name.endsWith(CLASS)
            && name.indexOf('/', path.length()) < 0
            && name.indexOf('-', path.length()) < 0) {
          String dotted = name.substring(0, name.length() - CLASS.length()).replace('/', '.');
          Class.forName(dotted, false, domain.loader());
        }
      }
    }
  }

  /// Returns one line about the calls, and the classes of other packages, that will be refused by
  /// the domain.
  ///
  /// @return null if there are none
  @Nullable String warning() throws IOException {
    DomainCheck check = new DomainCheck(RuleTable.standard());
    ClassFiles.read(jar, check::add);
    List<Finding> found = check.run();
    String told = first(found, Finding::refusesClass, "classes that are refused when first used");
    if (told == null) {
      told = first(found, Finding::throwsAtCall, "calls that a domain refuses when they are made");
    }
    return told == null
        ? null
        : told + ": sluice domain check " + ShellWord.of(option.jar()) + " lists all";
  }

  private static @Nullable String first(List<Finding> all, Predicate<Finding> which, String what) {
    return all.stream()
        .filter(which)
        .findFirst()
        .map(each -> "has " + what + ", such as " + each.className() + ", which uses " + each.use())
        .orElse(null);
  }
}
