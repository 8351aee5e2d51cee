package sluice.cli.domain;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.tomlj.Toml;
import org.tomlj.TomlArray;
import org.tomlj.TomlParseError;
import org.tomlj.TomlParseResult;
import org.tomlj.TomlPosition;
import org.tomlj.TomlTable;
import sluice.domain.Budget;
import sluice.domain.DomainConfig;

/// Reads the configuration file of `sluice domain run`, TOML with a table for each domain. Used by
/// the main thread. Each error names the file, the line and the fix.
///
/// ```
/// [domain.shop]
/// jars = ["shop.jar", "lib/prices.jar"]   # beside this file
/// main = "demo.Main"                      # else that of the first jar's manifest
/// args = ["one", "two"]
/// budget = { cpu = "20%", alloc = "50MB/s", threads = 8 }
/// properties = { "shop.currency" = "EUR" }
/// ```
final class DomainFile {
  private static final String DOMAIN = "domain";
  private static final Set<String> KEYS = Set.of("jars", "main", "args", "budget", "properties");

  private final Path file;

  private DomainFile(Path file) {
    this.file = file;
  }

  /// One domain that is to run.
  ///
  /// @param main null for the class that the manifest of the first jar names
  record Entry(DomainConfig config, @Nullable String main, List<String> arguments) {}

  /// All domains of a file, in its order; at least one.
  ///
  /// @throws IOException if the file cannot be read
  /// @throws IllegalArgumentException if it does not say which domains, for the user to read
  static List<Entry> read(Path file) throws IOException {
    return new DomainFile(file).domains(Toml.parse(file));
  }

  private List<Entry> domains(TomlParseResult root) {
    for (TomlParseError error : root.errors()) {
      throw wrong(error.position(), error.getMessage(), "see https://toml.io");
    }
    for (String key : root.keySet()) {
      if (!key.equals(DOMAIN)) {
        throw wrong(position(root, key), "unknown key " + key, "write [domain.NAME]");
      }
    }
    List<Entry> entries = new ArrayList<>();
    if (root.get(List.of(DOMAIN)) instanceof TomlTable domains) {
      for (String name : domains.keySet()) {
        if (!(domains.get(List.of(name)) instanceof TomlTable domain)) {
          throw wrong(
              position(domains, name), name + " is no table", "write [domain." + name + "]");
        }
        entries.add(entry(domains, name, domain));
      }
    }
    if (entries.isEmpty()) {
      throw new IllegalArgumentException(file + ": it has no domain. Fix: write [domain.NAME]");
    }
    return entries;
  }

  private Entry entry(TomlTable domains, String name, TomlTable domain) {
    for (String key : domain.keySet()) {
      if (!KEYS.contains(key)) {
        throw wrong(
            position(domain, key),
            "unknown key " + key + " of domain " + name,
            "known are jars, main, args, budget, properties");
      }
    }
    List<Path> jars = new ArrayList<>();
    for (String jar : strings(domain, "jars")) {
      jars.add(file.resolveSibling(jar));
    }
    if (jars.isEmpty()) {
      throw wrong(
          position(domains, name), "domain " + name + " has no jars", "add jars = [\"app.jar\"]");
    }
    try {
      DomainConfig config =
          DomainConfig.of(name, jars.toArray(new Path[0]))
              .withBudget(budget(domain))
              .withProperties(properties(domain));
      return new Entry(config, string(domain, "main"), strings(domain, "args"));
    } catch (Wrong e) {
      throw e;
    } catch (IllegalArgumentException e) {
      throw wrong(position(domains, name), e.getMessage(), "rename the table");
    }
  }

  private Budget budget(TomlTable domain) {
    Map<String, Object> parts = table(domain, "budget");
    if (parts.isEmpty() || !(domain.get(List.of("budget")) instanceof TomlTable table)) {
      return Budget.DEFAULT;
    }
    List<String> text = new ArrayList<>();
    parts.forEach((key, value) -> {
      String part = key + "=" + value;
      try {
        Budget.parse(part);
      } catch (IllegalArgumentException e) {
        throw wrong(
            position(table, key),
            "budget " + part + " is not understood",
            "cpu = \"20%\", alloc = \"50MB/s\", threads = 16");
      }
      text.add(part);
    });
    return Budget.parse(String.join(",", text));
  }

  private Map<String, String> properties(TomlTable domain) {
    Map<String, String> properties = new HashMap<>();
    table(domain, "properties").forEach((key, value) -> properties.put(key, value.toString()));
    return properties;
  }

  private Map<String, Object> table(TomlTable domain, String key) {
    Object value = domain.get(List.of(key));
    Map<String, Object> values = new LinkedHashMap<>();
    if (value == null) {
      return values;
    }
    if (!(value instanceof TomlTable table)) {
      throw wrong(position(domain, key), key + " is no table", key + " = { name = \"value\" }");
    }
    for (String each : table.keySet()) {
      Object found = table.get(List.of(each));
      if (found == null || found instanceof TomlTable || found instanceof TomlArray) {
        throw wrong(position(table, each), each + " is no plain value", each + " = \"value\"");
      }
      values.put(each, found);
    }
    return values;
  }

  private @Nullable String string(TomlTable domain, String key) {
    Object value = domain.get(List.of(key));
    if (value == null || value instanceof String) {
      return (String) value;
    }
    throw wrong(position(domain, key), key + " is no string", key + " = \"text\"");
  }

  private List<String> strings(TomlTable domain, String key) {
    Object value = domain.get(List.of(key));
    List<String> strings = new ArrayList<>();
    if (value == null) {
      return strings;
    }
    if (!(value instanceof TomlArray array)) {
      throw wrong(position(domain, key), key + " is no list", key + " = [\"text\"]");
    }
    for (int i = 0; i < array.size(); i++) {
      if (!(array.get(i) instanceof String text)) {
        throw wrong(array.inputPositionOf(i), key + " has no string there", "put it in quotes");
      }
      strings.add(text);
    }
    return strings;
  }

  private static @Nullable TomlPosition position(TomlTable table, String key) {
    return table.inputPositionOf(List.of(key));
  }

  private IllegalArgumentException wrong(
      @Nullable TomlPosition at, @Nullable String why, String fix) {
    return new Wrong(file + (at == null ? "" : ":" + at.line()) + ": " + why + ". Fix: " + fix);
  }

  /// With file, line and fix.
  private static final class Wrong extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    Wrong(String message) {
      super(message);
    }
  }
}
