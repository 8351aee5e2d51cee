package sluice.host.file;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.tomlj.TomlPosition;
import org.tomlj.TomlTable;

/// The values of a table in a file. Instances are confined to the thread that reads the file.
///
/// @param at the position of the table
record TomlValues(TomlTables tables, TomlTable table, @Nullable TomlPosition at) implements Values {
  @Override
  public boolean take(Runnable part) {
    return tables.take(part);
  }

  @Override
  public void requireKeys(Set<String> known, String what) {
    tables.requireKeys(table, known, what);
  }

  @Override
  public boolean has(String key) {
    return table.get(List.of(key)) != null;
  }

  @Override
  public String name(String key) {
    return key;
  }

  @Override
  public String example(String key, Object value) {
    return key + " = " + text(value);
  }

  private static String text(Object value) {
    return switch (value) {
      case List<?> list -> list.stream().map(TomlValues::text).toList().toString();
      case String text -> '"' + text + '"';
      default -> value.toString();
    };
  }

  @Override
  public WrongValue wrong(String key, @Nullable String why, String fix) {
    TomlPosition value = TomlTables.position(table, key);
    return tables.wrong(value == null ? at : value, why, fix);
  }

  @Override
  public @Nullable String string(String key) {
    return tables.string(table, key);
  }

  @Override
  public @Nullable Long number(String key) {
    return tables.number(table, key);
  }

  @Override
  public boolean flag(String key, boolean otherwise) {
    return tables.flag(table, key, otherwise);
  }

  @Override
  public List<String> strings(String key) {
    return tables.strings(table, key);
  }

  @Override
  public @Nullable Path path(String key) {
    return tables.path(table, key);
  }
}
