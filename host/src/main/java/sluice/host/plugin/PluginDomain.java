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

/// One version of a plug-in: its jar, its domain and the calls that it has. Any thread may call.
///
/// The domain loads a copy of the jar, so the jar may be written while it is in use.
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

  /// @param name unique among the domains that live
  /// @param directory where the copy is made
  /// @throws IOException with path, jar, why and fix
  static PluginDomain load(PluginOption option, String name, Path directory, Duration limit)
      throws IOException {
    return load(option, bytes(option), name, directory, limit);
  }

  /// Loads the same version again, whatever the jar has now.
  PluginDomain again(PluginOption option, String name, Path directory, Duration limit)
      throws IOException {
    return load(option, Files.readAllBytes(copy), name, directory, limit);
  }

  private static PluginDomain load(
      PluginOption option, byte[] bytes, String name, Path directory, Duration limit)
      throws IOException {
    // Of a name of its own: the domain before may have had the same, and deletes its copy later.
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

  /// The plug-in as threads of the domain call it.
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

  /// Its place on the loops' threads.
  PluginAdmission admission() {
    return admission;
  }

  /// Returns the plug-in if bodies stream to and from it. Only threads of the domain call it.
  @Nullable StreamPlugin streams() {
    return plugin instanceof StreamPlugin streams ? streams : null;
  }

  /// Returns the plug-in if it takes and gives whole bodies. Only threads of the domain call it.
  HttpPlugin whole() {
    return (HttpPlugin) plugin;
  }

  /// Its calls.
  PostedCalls calls() {
    return calls;
  }

  /// Says that a call hangs; its domain is to end.
  ///
  /// @return false if that was said before
  boolean hangs() {
    return hangs.compareAndSet(false, true);
  }

  /// Returns true if a call hangs.
  boolean isHanging() {
    return hangs.get();
  }

  /// Reads all classes of the jar, and tells what will be refused when it is first used. Takes as
  /// long as the jar is large.
  ///
  /// @return null when there is nothing
  @Nullable String warning() throws IOException {
    return loading.warning();
  }

  /// Whether it lives and is what the jar has now.
  boolean isCurrent(PluginOption option) {
    try {
      return domain.alive() && MessageDigest.isEqual(hash, sha256(bytes(option)));
    } catch (IOException e) {
      return false; // loading it tells why
    }
  }

  /// Ends it when the calls that it has taken are done, or the time is over.
  void retire(Duration atMost) throws IOException {
    try {
      boolean _ = Uninterrupted.await(atMost, calls::retire);
    } finally {
      domain.kill("it was replaced");
      close();
    }
  }

  /// Ends it at once.
  @Override
  public void close() throws IOException {
    domain.kill("the server ends");
    Files.deleteIfExists(copy);
  }
}
