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

/// Takes values out of the tables of one TOML file. Used by one thread. Each error names the file,
/// the line and the fix. A reader takes its parts by [#take] and ends with [#requireGood], so that
/// all errors of a file are reported at once.
public final class TomlTables {
  /// Letters that a misspelt key may have wrong.

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

  /// Reads a file as a whole.
  ///
  /// @param reader takes its parts by [#take]
  /// @throws UsageException if it cannot be read, or with all that is wrong in it
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

  /// Takes a part of the file. What is wrong with it is kept for [#requireGood].
  ///
  /// @return false if something is wrong with it
  public boolean take(Runnable part) {
    return mistakes.take(part);
  }

  /// Returns true if nothing was wrong until now.
  public boolean isGood() {
    return mistakes.isNone();
  }

  /// Reports all that was wrong until now, a line each, in the order of the file.
  ///
  /// @throws WrongValue with all of it
  public void requireGood() {
    mistakes.requireNone(file + ": ");
  }

  /// Returns the values of a table.
  public Values values(Named named) {
    return new TomlValues(this, named.table(), named.at());
  }

  /// Returns the values of a table below another; null if there is none.
  public @Nullable Values values(TomlTable above, String key) {
    TomlTable table = below(above, key);
    return table == null ? null : new TomlValues(this, table, position(above, key));
  }

  /// What to do about the mistakes that are made most.
  private static String fix(String problem) {
    if (problem.contains("previously defined")) {
      return "leave one of the two out";
    }
    if (problem.contains("a boolean")) { // of all that a value can be
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

  /// Checks that a table has known keys only; unknown ones are kept for [#requireGood].
  ///
  /// @param what the table is, for the message
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

  /// Returns a table below; null if there is none.
  public @Nullable TomlTable below(TomlTable table, String key) {
    Object value = table.get(List.of(key));
    if (value == null || value instanceof TomlTable) {
      return (TomlTable) value;
    }
    throw wrong(position(table, key), key + " is no table", "write [" + key + "]");
  }

  /// A table `[KIND.NAME]` of a file.
  ///
  /// @param at where it stands
  public record Named(String name, TomlTable table, @Nullable TomlPosition at) {}

  /// Takes each table `[KIND.NAME]`, in the order of the file. What is wrong with one is kept.
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

  /// Returns the tables of an array of tables; empty if there is none.
  ///
  /// @param path of the array, for the message
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

  /// Returns a path beside the file; null if there is none.
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

  /// Returns a whole number; null if there is none.
  public @Nullable Long number(TomlTable table, String key) {
    Object value = table.get(List.of(key));
    if (value == null || value instanceof Long) {
      return (Long) value;
    }
    throw wrong(position(table, key), key + " is no whole number", key + " = 1, without quotes");
  }

  /// Returns a truth value; `otherwise` if there is none.
  public boolean flag(TomlTable table, String key, boolean otherwise) {
    Object value = table.get(List.of(key));
    if (value == null || value instanceof Boolean) {
      return value == null ? otherwise : (Boolean) value;
    }
    throw wrong(
        position(table, key), key + " is neither true nor false", key + " = true, without quotes");
  }

  /// Returns paths beside the file; empty if there is none.
  public List<Path> paths(TomlTable table, String key) {
    List<Path> paths = new ArrayList<>();
    strings(table, key).forEach(path -> paths.add(file.resolveSibling(path)));
    return paths;
  }

  /// Returns the plain values of a table; empty if there is none.
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

  /// Returns a text; null if there is none.
  public @Nullable String string(TomlTable domain, String key) {
    Object value = domain.get(List.of(key));
    if (value == null || value instanceof String) {
      return (String) value;
    }
    throw wrong(position(domain, key), key + " is no string", key + " = \"text\"");
  }

  /// Returns the strings of a list; empty if there is none.
  public List<String> strings(TomlTable domain, String key) {
    return list(domain, key, String.class, "string there", "[\"text\"]");
  }

  /// Returns the whole numbers of a list; empty if there is none.
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

  /// Returns where a value stands; null if there is none.
  public static @Nullable TomlPosition position(TomlTable table, String key) {
    return table.inputPositionOf(List.of(key));
  }

  /// Returns where the first value of a table stands; null for one without any.
  public static @Nullable TomlPosition begin(TomlTable table) {
    TomlPosition first = null;
    for (String key : table.keySet()) {
      TomlPosition at = position(table, key);
      first = at != null && (first == null || at.line() < first.line()) ? at : first;
    }
    return first;
  }

  /// Returns what is wrong in a line, and the fix.
  public WrongValue wrong(@Nullable TomlPosition at, @Nullable String why, String fix) {
    int line = at == null ? 0 : at.line();
    return new WrongValue(
        line, file + (line == 0 ? "" : ":" + line) + ": " + why + ". Fix: " + fix);
  }
}
