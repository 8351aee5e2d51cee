package sluice.host.file;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The named values that describe a part to run: a table of a file, or the options of a command
/// line, which are a short form of such a table. Both are read and checked by the same code. Not
/// thread-safe.
///
/// Errors are collected by [#take] and by the methods with a default value, so that all of them are
/// reported together.
public interface Values {
  /// Runs a part of the reading and keeps its error.
  ///
  /// @return false if there was an error
  boolean take(Runnable part);

  /// Returns the result of a part. After an error it returns `otherwise` so that reading can
  /// continue; the final result is not used then.
  default <T> T take(T otherwise, Supplier<T> part) {
    List<T> taken = new ArrayList<>();
    return take(() -> taken.add(part.get())) ? taken.getFirst() : otherwise;
  }

  /// Returns the result of a part; null if it is empty or there was an error.
  default <T> @Nullable T takeOrNull(Supplier<Optional<T>> part) {
    return take(Optional.empty(), part).orElse(null);
  }

  /// Checks that all keys are known. Errors are kept.
  ///
  /// @param what the description of the values, for the message
  void requireKeys(Set<String> known, String what);

  /// Returns true if the value is given.
  boolean has(String key);

  /// Returns the user's name of a key: `port` in a file, `--port` on a command line.
  String name(String key);

  /// Returns an example of a setting: `port = 2049` or `--port 2049`.
  ///
  /// @param value a string, a number, a boolean or a list of strings
  String example(String key, Object value);

  /// Returns an error at the position of a key, or of the table if the key is not given.
  WrongValue wrong(String key, @Nullable String why, String fix);

  /// Returns a string; null if it is not given.
  ///
  /// @throws WrongValue if the value has another type
  @Nullable String string(String key);

  /// Returns an integer; null if it is not given.
  ///
  /// @throws WrongValue if the value has another type
  @Nullable Long number(String key);

  /// Returns a boolean; `otherwise` if it is not given.
  ///
  /// @throws WrongValue if the value has another type
  boolean flag(String key, boolean otherwise);

  /// Returns the strings of a list; empty if it is not given.
  ///
  /// @throws WrongValue if the value has another type
  List<String> strings(String key);

  /// Returns a path, resolved against the directory of the file; null if it is not given.
  ///
  /// @throws WrongValue if the value is not a path
  @Nullable Path path(String key);

  /// Returns a number in a range; `otherwise` if it is not given or there was an error, which is
  /// kept.
  default long number(String key, long otherwise, long low, long high) {
    return take(
        otherwise,
        () -> {
          Long value = number(key);
          if (value == null) {
            return otherwise;
          }
          if (value < low || value > high) {
            throw wrong(
                key,
                name(key) + " takes a number from " + low + " to " + high + ": " + value,
                example(key, Math.max(low, otherwise)));
          }
          return value;
        });
  }

  /// Returns a map of three words to their values, in this order.
  static <T> Map<String, T> words(
      String one, T first, String two, T second, String three, T third) {
    Map<String, T> words = new LinkedHashMap<>();
    words.put(one, first);
    words.put(two, second);
    words.put(three, third);
    return Collections.unmodifiableMap(words);
  }

  /// Returns the value of a word; the first value if it is not given or there was an error, which
  /// is kept.
  ///
  /// @param words the words in the order of the message
  default <T> T choice(String key, Map<String, T> words) {
    List<String> names = List.copyOf(words.keySet());
    T first = words.values().iterator().next();
    return take(
        first,
        () -> {
          String text = string(key);
          T chosen = text == null ? first : words.get(text);
          if (chosen == null) {
            throw wrong(
                key,
                name(key)
                    + " takes "
                    + String.join(", ", names.subList(0, names.size() - 1))
                    + " or "
                    + names.getLast()
                    + ", not "
                    + text,
                example(key, names.getFirst()));
          }
          return chosen;
        });
  }

  /// Returns the parsed value of a string; `otherwise` if it is not given or there was an error,
  /// which is kept.
  ///
  /// @param example a valid string
  default <T> T parsed(String key, T otherwise, String example, Parser<T> reader) {
    T parsed = parsed(key, example, reader);
    return parsed == null ? otherwise : parsed;
  }

  /// Returns the parsed value of a string; null if it is not given or there was an error, which is
  /// kept.
  ///
  /// @param example a valid string
  default <T> @Nullable T parsed(String key, String example, Parser<T> reader) {
    return takeOrNull(() -> {
      String text = string(key);
      if (text == null) {
        return Optional.empty();
      }
      try {
        return Optional.of(reader.parse(text));
      } catch (IllegalArgumentException e) {
        throw wrong(key, name(key) + ": " + e.getMessage(), example(key, example));
      }
    });
  }

  /// Parses a string.
  @FunctionalInterface
  interface Parser<T> {
    /// Returns the value of a string.
    ///
    /// @throws IllegalArgumentException with the reason if the string is not valid
    T parse(String text);
  }
}
