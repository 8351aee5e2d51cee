package sluice.host.file;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The options of a command line, represented as the values of a table. Instances are confined to
/// the thread that reads them.
///
/// The names and types have already been checked by the command line parser. All other checks are
/// performed by the code that reads tables.
public final class OptionValues implements Values {
  private final Mistakes mistakes = new Mistakes();
  private final Map<String, String> names = new HashMap<>();
  private final Map<String, Object> given = new HashMap<>();

  /// Creates an instance without options.
  public OptionValues() {}

  /// Adds an option of the command.
  ///
  /// @param key the key of the value in a table
  /// @param option the name of the option, such as `--port`
  /// @param value a string, a number, a boolean or a list of strings, or null if the option is not
  ///   specified
  public void add(String key, String option, @Nullable Object value) {
    names.put(key, option);
    if (value != null) {
      given.put(key, value);
    }
  }

  /// Throws an exception if there were errors.
  ///
  /// @throws UsageException with all errors, one per line
  public void requireGood() throws UsageException {
    try {
      mistakes.requireNone("");
    } catch (WrongValue e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }

  @Override
  public boolean take(Runnable part) {
    return mistakes.take(part);
  }

  @Override
  public void requireKeys(Set<String> known, String what) {
    // The names are checked by the command line parser, and a command may have options of several
    // tables.
  }

  @Override
  public boolean has(String key) {
    return given.containsKey(key);
  }

  @Override
  public String name(String key) {
    return names.getOrDefault(key, "--" + key);
  }

  @Override
  public String example(String key, Object value) {
    return switch (value) {
      case Boolean _ -> name(key);
      case List<?> list -> name(key) + " " + list.getFirst();
      default -> name(key) + " " + value;
    };
  }

  @Override
  public WrongValue wrong(String key, @Nullable String why, String fix) {
    return new WrongValue(0, why + ". Fix: " + fix);
  }

  @Override
  public @Nullable String string(String key) {
    Object value = given.get(key);
    return value == null ? null : value.toString();
  }

  @Override
  public @Nullable Long number(String key) {
    return given.get(key) instanceof Number number ? (Long) number.longValue() : null;
  }

  @Override
  public boolean flag(String key, boolean otherwise) {
    return given.get(key) instanceof Boolean flag ? flag : otherwise;
  }

  @Override
  public List<String> strings(String key) {
    return given.get(key) instanceof List<?> list
        ? list.stream().map(Object::toString).toList()
        : List.of();
  }

  @Override
  public @Nullable Path path(String key) {
    String text = string(key);
    try {
      return text == null ? null : Path.of(text);
    } catch (InvalidPathException e) {
      throw wrong(key, name(key) + " names no file: " + text, example(key, "PATH"));
    }
  }
}
