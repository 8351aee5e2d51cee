package sluice.host.plugin;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import sluice.domain.Budget;
import sluice.host.file.UsageException;
import sluice.http.handlers.Route;

/// The plug-in options of `sluice serve` while they are being parsed. Instances are confined to the
/// main thread.
public final class PluginOptions {
  private final List<PluginOption> plugins = new ArrayList<>();
  private Duration limit = Duration.ofSeconds(10);

  /// Handles `--plugin PATH=JAR`.
  public void add(String value) throws UsageException {
    int equals = value.indexOf('=');
    if (equals < 1 || equals == value.length() - 1) {
      throw new UsageException(
          "--plugin takes PATH=JAR: " + value + ". Fix: --plugin /api=plugin.jar");
    }
    try {
      String prefix = Route.at(value.substring(0, equals)).prefix();
      if (plugins.stream().anyMatch(each -> each.prefix().equals(prefix))) {
        throw new UsageException(
            "--plugin names " + prefix + " twice. Fix: leave one of the two out");
      }
      Path jar = Path.of(value.substring(equals + 1));
      plugins.add(new PluginOption(prefix, jar, Budget.DEFAULT, "", PluginTerms.DEFAULT));
    } catch (InvalidPathException e) {
      throw new UsageException("not a file name: " + value.substring(equals + 1));
    } catch (IllegalArgumentException e) {
      throw new UsageException("--plugin " + value + ": " + e.getMessage());
    }
  }

  /// Handles `--budget LIST`, which applies to the last added plug-in.
  public void budget(String value) throws UsageException {
    if (plugins.isEmpty()) {
      throw new UsageException(
          "--budget follows the --plugin that it is for: " + value + ". Fix: write --plugin first");
    }
    try {
      plugins.add(plugins.removeLast().withBudget(Budget.parse(value), value));
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }

  /// Handles `--plugin-calls`, `--plugin-waiting` or `--plugin-restart`, which apply to the last
  /// added plug-in.
  ///
  /// @param name `calls`, `waiting` or `restart`
  public void term(String name, String value) throws UsageException {
    if (plugins.isEmpty()) {
      throw new UsageException(
          "--plugin-" + name + " follows the --plugin that it is for: " + value);
    }
    PluginOption last = plugins.getLast();
    plugins.set(plugins.size() - 1, last.withTerms(last.terms().with(name, value)));
  }

  /// Handles `--plugin-timeout`.
  public void limit(Duration value) {
    limit = value;
  }

  /// Passes the path and the jar of each plug-in to the given consumer.
  public void each(BiConsumer<String, Path> reader) {
    plugins.forEach(plugin -> reader.accept(plugin.prefix(), plugin.jar()));
  }

  List<PluginOption> plugins() {
    return plugins;
  }

  /// Returns the timeout for a reply and for loading a plug-in.
  Duration limit() {
    return limit;
  }

  /// Returns true if no plug-in has been specified.
  public boolean isEmpty() {
    return plugins.isEmpty();
  }
}
