package sluice.cli.domain;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.tomlj.TomlArray;
import org.tomlj.TomlPosition;
import org.tomlj.TomlTable;

/// Takes values out of the tables of one TOML file. Used by the main thread. Each error names the
/// file, the line and the fix.
final class TomlTables {
  private final Path file;

  TomlTables(Path file) {
    this.file = file;
  }

  Path file() {
    return file;
  }

  /// @param what the table is, for the message
  void requireKeys(TomlTable table, Set<String> known, String what) {
    for (String key : table.keySet()) {
      if (!known.contains(key)) {
        throw wrong(
            position(table, key),
            "unknown key " + key + " of " + what,
            "known are " + String.join(", ", known));
      }
    }
  }

  /// Paths beside the file.
  List<Path> paths(TomlTable table, String key) {
    List<Path> paths = new ArrayList<>();
    strings(table, key).forEach(path -> paths.add(file.resolveSibling(path)));
    return paths;
  }

  /// The plain values of a table; empty if there is none.
  Map<String, Object> table(TomlTable domain, String key) {
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

  @Nullable String string(TomlTable domain, String key) {
    Object value = domain.get(List.of(key));
    if (value == null || value instanceof String) {
      return (String) value;
    }
    throw wrong(position(domain, key), key + " is no string", key + " = \"text\"");
  }

  /// The strings of a list; empty if there is none.
  List<String> strings(TomlTable domain, String key) {
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

  static @Nullable TomlPosition position(TomlTable table, String key) {
    return table.inputPositionOf(List.of(key));
  }

  /// What is wrong in a line, and the fix.
  IllegalArgumentException wrong(@Nullable TomlPosition at, @Nullable String why, String fix) {
    return new Wrong(file + (at == null ? "" : ":" + at.line()) + ": " + why + ". Fix: " + fix);
  }

  /// With file, line and fix.
  static final class Wrong extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    Wrong(String message) {
      super(message);
    }
  }
}
