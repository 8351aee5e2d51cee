package sluice.host.file;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tomlj.Toml;
import org.tomlj.TomlArray;
import org.tomlj.TomlParseError;
import org.tomlj.TomlParseResult;
import org.tomlj.TomlPosition;
import org.tomlj.TomlTable;
import sluice.host.text.Nearest;

/// Reads values from the tables of one TOML file. This class is not thread-safe. Each error message
/// contains the file, the line and a fix. A reader reads its parts with [#take] and calls
/// [#requireGood] at the end, so that all errors of a file are reported together.
public final class TomlTables {

  private final Path file;

  private final Mistakes mistakes = new Mistakes();

  private TomlTables(Path file) {
    this.file = file;
  }

  /// Returns the path of the file.
  public Path file() {
    return file;
  }

  private TomlTable root() throws IOException {
    TomlParseResult root = Toml.parse(file);
    for (TomlParseError error : root.errors()) {
      String message = String.valueOf(error.getMessage());
      mistakes.add(wrong(error.position(), message, fix(message)));
    }
    requireGood();
    return root;
  }

  /// Reads a complete file.
  ///
  /// @param reader the reader, which reads its parts with [#take]
  /// @throws UsageException if the file cannot be read or is not valid; the message contains all
  ///   errors
  public static void read(Path file, BiConsumer<TomlTables, TomlTable> reader)
      throws UsageException {
    TomlTables tables = new TomlTables(file);
    try {
      reader.accept(tables, tables.root());
      tables.requireGood();
    } catch (CharacterCodingException e) {
      throw new UsageException(file + ": it is not in UTF-8. Fix: save it in UTF-8");
    } catch (NoSuchFileException e) {
      throw new UsageException(file + " is not there. Fix: name a file that exists");
    } catch (IOException e) {
      throw new UsageException(
          file + " cannot be read: " + e.getMessage() + ". Fix: make it readable, in UTF-8");
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }

  /// Executes a part of the reading and records its error for [#requireGood].
  ///
  /// @return false if there was an error
  public boolean take(Runnable part) {
    return mistakes.take(part);
  }

  /// Returns true if there have been no errors.
  public boolean isGood() {
    return mistakes.isNone();
  }

  /// Throws an exception if there were errors.
  ///
  /// @throws WrongValue with all errors, one per line, in the order of the file
  public void requireGood() {
    mistakes.requireNone(file + ": ");
  }

  /// Returns the values of the given table.
  public Values values(Named named) {
    return new TomlValues(this, named.table(), named.at());
  }

  /// Returns the values of a nested table, or null if the table does not exist.
  public @Nullable Values values(TomlTable above, String key) {
    TomlTable table = below(above, key);
    return table == null ? null : new TomlValues(this, table, position(above, key));
  }

  /// Returns the fix for a common syntax error.
  private static String fix(String problem) {
    if (problem.contains("previously defined")) {
      return "leave one of the two out";
    }
    if (problem.contains("a boolean")) { // the parser lists all kinds of values
      return "write a value behind the sign =: text in quotes, a number, true, false or a list";
    }
    if (problem.contains("expected \"") || problem.contains("expected '")) {
      return "end the text with a quote";
    }
    if (problem.contains("expected ]") || problem.contains("expected }")) {
      return "close the bracket";
    }
    return "text is in quotes, a list in [ ]; all of it: https://toml.io";
  }

  /// Checks that a table has only known keys. Errors are recorded for [#requireGood].
  ///
  /// @param what the description of the table, for the message
  public void requireKeys(TomlTable table, Set<String> known, String what) {
    for (String key : table.keySet()) {
      if (!known.contains(key)) {
        String near = Nearest.of(key, known);
        mistakes.add(
            wrong(
                position(table, key),
                "unknown key " + key + " of " + what,
                (near == null ? "" : "write " + near + "; ")
                    + "known are "
                    + String.join(", ", known)));
      }
    }
  }

  /// Returns a nested table, or null if it does not exist.
  public @Nullable TomlTable below(TomlTable table, String key) {
    Object value = table.get(List.of(key));
    if (value == null || value instanceof TomlTable) {
      return (TomlTable) value;
    }
    throw wrong(position(table, key), key + " is no table", "write [" + key + "]");
  }

  /// A table `[KIND.NAME]` of a file.
  ///
  /// @param at its position in the file
  public record Named(String name, TomlTable table, @Nullable TomlPosition at) {}

  /// Passes each table `[KIND.NAME]` to a reader, in the order of the file. Errors are recorded.
  public void named(TomlTable root, String kind, Consumer<Named> reader) {
    take(() -> {
      TomlTable all = below(root, kind);
      if (all != null) {
        for (String name : all.keySet()) {
          take(() -> {
            if (!(all.get(List.of(name)) instanceof TomlTable table)) {
              throw wrong(
                  position(all, name), name + " is no table", "write [" + kind + "." + name + "]");
            }
            reader.accept(new Named(name, table, root.inputPositionOf(List.of(kind, name))));
          });
        }
      }
    });
  }

  /// Returns the tables of an array of tables, or an empty list if the array does not exist.
  ///
  /// @param path the path of the array, for the message
  public List<TomlTable> each(TomlTable table, String key, String path) {
    Object value = table.get(List.of(key));
    List<TomlTable> tables = new ArrayList<>();
    if (value == null) {
      return tables;
    }
    if (!(value instanceof TomlArray array)) {
      throw wrong(position(table, key), key + " is no list of tables", "write [[" + path + "]]");
    }
    for (int i = 0; i < array.size(); i++) {
      if (!(array.get(i) instanceof TomlTable one)) {
        throw wrong(
            array.inputPositionOf(i), key + " has no table there", "write [[" + path + "]]");
      }
      tables.add(one);
    }
    return tables;
  }

  /// Returns a path that is resolved against the directory of the file, or null if the key does not
  /// exist.
  public @Nullable Path path(TomlTable table, String key) {
    String text = string(table, key);
    if (text == null) {
      return null;
    }
    if (text.isEmpty() || text.indexOf(0) >= 0) {
      throw wrong(position(table, key), key + " names no file", key + " = \"PATH\"");
    }
    return file.resolveSibling(text);
  }

  /// Returns an integer, or null if the key does not exist.
  public @Nullable Long number(TomlTable table, String key) {
    Object value = table.get(List.of(key));
    if (value == null || value instanceof Long) {
      return (Long) value;
    }
    throw wrong(position(table, key), key + " is no whole number", key + " = 1, without quotes");
  }

  /// Returns a boolean, or `otherwise` if the key does not exist.
  public boolean flag(TomlTable table, String key, boolean otherwise) {
    Object value = table.get(List.of(key));
    if (value == null || value instanceof Boolean) {
      return value == null ? otherwise : (Boolean) value;
    }
    throw wrong(
        position(table, key), key + " is neither true nor false", key + " = true, without quotes");
  }

  /// Returns a list of paths that are resolved against the directory of the file. The list is empty
  /// if the key does not exist.
  public List<Path> paths(TomlTable table, String key) {
    List<Path> paths = new ArrayList<>();
    strings(table, key).forEach(path -> paths.add(file.resolveSibling(path)));
    return paths;
  }

  /// Returns the scalar values of a table, or an empty map if the table does not exist.
  public Map<String, Object> table(TomlTable domain, String key) {
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

  /// Returns a string, or null if the key does not exist.
  public @Nullable String string(TomlTable domain, String key) {
    Object value = domain.get(List.of(key));
    if (value == null || value instanceof String) {
      return (String) value;
    }
    throw wrong(position(domain, key), key + " is no string", key + " = \"text\"");
  }

  /// Returns a list of strings, or an empty list if the key does not exist.
  public List<String> strings(TomlTable domain, String key) {
    return list(domain, key, String.class, "string there", "[\"text\"]");
  }

  /// Returns a list of integers, or an empty list if the key does not exist.
  public List<Long> numbers(TomlTable table, String key) {
    return list(table, key, Long.class, "whole number there", "[0, 1]");
  }

  private <T> List<T> list(
      TomlTable table, String key, Class<T> type, String what, String example) {
    Object value = table.get(List.of(key));
    List<T> found = new ArrayList<>();
    if (value == null) {
      return found;
    }
    if (!(value instanceof TomlArray array)) {
      throw wrong(position(table, key), key + " is no list", key + " = " + example);
    }
    for (int i = 0; i < array.size(); i++) {
      if (!type.isInstance(array.get(i))) {
        throw wrong(array.inputPositionOf(i), key + " has no " + what, key + " = " + example);
      }
      found.add(type.cast(array.get(i)));
    }
    return found;
  }

  /// Returns the position of a value, or null if the key does not exist.
  public static @Nullable TomlPosition position(TomlTable table, String key) {
    return table.inputPositionOf(List.of(key));
  }

  /// Returns the position of the first value of a table, or null if the table is empty.
  public static @Nullable TomlPosition begin(TomlTable table) {
    TomlPosition first = null;
    for (String key : table.keySet()) {
      TomlPosition at = position(table, key);
      first = at != null && (first == null || at.line() < first.line()) ? at : first;
    }
    return first;
  }

  /// Returns an exception for an error at the given position, with the reason and a fix.
  public WrongValue wrong(@Nullable TomlPosition at, @Nullable String why, String fix) {
    int line = at == null ? 0 : at.line();
    return new WrongValue(
        line, file + (line == 0 ? "" : ":" + line) + ": " + why + ". Fix: " + fix);
  }
}
