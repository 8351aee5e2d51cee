package sluice.host.plugin;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;
import sluice.domain.Domain;
import sluice.domain.DomainConfig;
import sluice.domain.portal.PostedCalls;
import sluice.host.domain.ClassDirectory;
import sluice.http.plugin.HttpPlugin;
import sluice.http.plugin.StreamPlugin;
import sluice.http.plugin.ViewExchange;
import sluice.http.plugin.ViewPlugin;
import sluice.memory.View;
import sluice.sys.threads.Uninterrupted;

/// A version of a plug-in, which consists of its jar, its domain and its calls. This class is
/// thread-safe.
///
/// The domain loads a copy of the jar, so that the jar can be overwritten at any time.
///
/// ```
/// loaded ── retire ──▶ ends its calls ──▶ closed
///    └───── killed ──────────────────────▶ closed
/// ```
final class PluginDomain implements AutoCloseable {
  private final Path copy;
  private final byte[] hash;
  private final Domain domain;
  private final Object plugin;
  private final PostedCalls calls;
  private final PluginLoading loading;
  private final PluginAdmission admission;
  private final AtomicBoolean hangs = new AtomicBoolean();

  private PluginDomain(
      Path copy,
      byte[] hash,
      Domain domain,
      PostedCalls calls,
      PluginLoading loading,
      Object plugin) {
    this.copy = copy;
    this.hash = hash;
    this.domain = domain;
    this.plugin = onThreads(plugin);
    this.calls = calls;
    this.loading = loading;
    this.admission = new PluginAdmission(plugin, copy, domain);
  }

  /// Loads a plug-in.
  ///
  /// @param name a name that is unique among the domains that are alive
  /// @param directory the directory for the copy of the jar
  /// @throws IOException with the path, the jar, the reason and a fix
  static PluginDomain load(PluginOption option, String name, Path directory, Duration limit)
      throws IOException {
    return load(option, bytes(option), name, directory, limit);
  }

  /// Loads the same version again, even if the jar has been changed.
  PluginDomain again(PluginOption option, String name, Path directory, Duration limit)
      throws IOException {
    return load(option, Files.readAllBytes(copy), name, directory, limit);
  }

  private static PluginDomain load(
      PluginOption option, byte[] bytes, String name, Path directory, Duration limit)
      throws IOException {
    // The file name must be unique, because the previous domain may have the same name and deletes
    // its copy later.
    Path copy = Files.createTempFile(directory, name + "-", ".jar");
    Files.write(copy, bytes);
    Domain domain = null;
    boolean isLoaded = false;
    try {
      domain =
          Domain.create(
              DomainConfig.of(name, copy)
                  .withShared(HttpPlugin.class.getPackageName() + ".", View.class.getName())
                  .withBudget(option.budget())
                  .withCache(ClassDirectory.find()));
      PluginLoading loading = new PluginLoading(option, copy, domain);
      Object plugin = loading.make(limit);
      PluginTerms terms = option.terms();
      int atOnce = Math.min(terms.calls(), option.budget().threads());
      PostedCalls calls = new PostedCalls(domain, "plugin-" + name, atOnce, terms.waiting());
      isLoaded = true;
      return new PluginDomain(copy, sha256(bytes), domain, calls, loading, plugin);
    } catch (ZipException e) {
      throw PluginLoading.problem(
          option, "it is no jar (" + e.getMessage() + ")", "build it again");
    } finally {
      if (!isLoaded) {
        if (domain != null) {
          domain.kill("its plug-in could not be loaded");
        }
        Files.deleteIfExists(copy);
      }
    }
  }

  /// Returns the plug-in in the form in which it is invoked by threads of the domain.
  private static Object onThreads(Object plugin) {
    if (plugin instanceof ViewPlugin views) {
      HttpPlugin whole = request -> ViewExchange.answer(views, request);
      return whole;
    }
    return plugin;
  }

  private static byte[] bytes(PluginOption option) throws IOException {
    try {
      return Files.readAllBytes(option.jar());
    } catch (NoSuchFileException e) {
      throw PluginLoading.problem(option, "there is no such file", "give the path of a jar");
    } catch (IOException e) {
      throw PluginLoading.problem(
          option, "it cannot be read (" + e.getMessage() + ")", "give the path of a jar");
    }
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  Domain domain() {
    return domain;
  }

  /// Returns the admission, which decides whether the plug-in may run on the threads of the loops.
  PluginAdmission admission() {
    return admission;
  }

  /// Returns the plug-in if it streams bodies, or null otherwise. The plug-in may be invoked only
  /// by threads of the domain.
  @Nullable StreamPlugin streams() {
    return plugin instanceof StreamPlugin streams ? streams : null;
  }

  /// Returns the plug-in if it uses complete bodies. The plug-in may be invoked only by threads of
  /// the domain.
  HttpPlugin whole() {
    return (HttpPlugin) plugin;
  }

  /// Returns the calls of this version of the plug-in.
  PostedCalls calls() {
    return calls;
  }

  /// Records that a call is hanging and that the domain must therefore be terminated.
  ///
  /// @return false if this has already been recorded
  boolean hangs() {
    return hangs.compareAndSet(false, true);
  }

  /// Returns true if a call is hanging.
  boolean isHanging() {
    return hangs.get();
  }

  /// Reads all classes of the jar and finds the uses that the domain will refuse when they are
  /// first executed. The duration depends on the size of the jar.
  ///
  /// @return a warning, or null if there are no such uses
  @Nullable String warning() throws IOException {
    return loading.warning();
  }

  /// Returns true if the domain is alive and the jar has not changed.
  boolean isCurrent(PluginOption option) {
    try {
      return domain.alive() && MessageDigest.isEqual(hash, sha256(bytes(option)));
    } catch (IOException e) {
      return false; // loading the jar reports the error
    }
  }

  /// Terminates the domain as soon as its calls have been completed or the timeout expires.
  void retire(Duration atMost) throws IOException {
    try {
      boolean _ = Uninterrupted.await(atMost, calls::retire);
    } finally {
      domain.kill("it was replaced");
      close();
    }
  }

  /// Terminates the domain immediately.
  @Override
  public void close() throws IOException {
    domain.kill("the server ends");
    Files.deleteIfExists(copy);
  }
}
