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

/// The named values that configure a part. They are either a table of a file, or the options of a
/// command line, which are a short form of such a table. Both are read and checked by the same
/// code. Instances are not thread-safe.
///
/// Errors are collected by [#take] and by the methods with a default value, so that all errors are
/// reported together.
public interface Values {
  /// Executes a part of the reading and records its error.
  ///
  /// @return false if there was an error
  boolean take(Runnable part);

  /// Returns the result of a part of the reading. If there is an error, this method returns
  /// `otherwise` so that reading can continue, although the final result will not be used.
  default <T> T take(T otherwise, Supplier<T> part) {
    List<T> taken = new ArrayList<>();
    return take(() -> taken.add(part.get())) ? taken.getFirst() : otherwise;
  }

  /// Returns the result of a part of the reading, or null if the result is empty or there was an
  /// error.
  default <T> @Nullable T takeOrNull(Supplier<Optional<T>> part) {
    return take(Optional.empty(), part).orElse(null);
  }

  /// Checks that all keys are known. Errors are recorded.
  ///
  /// @param what the description of the values, for the message
  void requireKeys(Set<String> known, String what);

  /// Returns true if there is a value for the given key.
  boolean has(String key);

  /// Returns the name of a key that is familiar to the user, which is `port` in a file and `--port`
  /// on a command line.
  String name(String key);

  /// Returns an example of a setting, such as `port = 2049` or `--port 2049`.
  ///
  /// @param value a string, a number, a boolean or a list of strings
  String example(String key, Object value);

  /// Returns an exception for an error at the position of a key, or at the position of the table if
  /// there is no value for the key.
  WrongValue wrong(String key, @Nullable String why, String fix);

  /// Returns a string, or null if there is no value.
  ///
  /// @throws WrongValue if the value has another type
  @Nullable String string(String key);

  /// Returns an integer, or null if there is no value.
  ///
  /// @throws WrongValue if the value has another type
  @Nullable Long number(String key);

  /// Returns a boolean, or `otherwise` if there is no value.
  ///
  /// @throws WrongValue if the value has another type
  boolean flag(String key, boolean otherwise);

  /// Returns a list of strings, or an empty list if there is no value.
  ///
  /// @throws WrongValue if the value has another type
  List<String> strings(String key);

  /// Returns a path that is resolved against the directory of the file, or null if there is no
  /// value.
  ///
  /// @throws WrongValue if the value is not a path
  @Nullable Path path(String key);

  /// Returns a number in a range. Returns `otherwise` if there is no value or if there was an
  /// error, which is recorded.
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

  /// Returns a map from three words to their values, which preserves the order of the words.
  static <T> Map<String, T> words(
      String one, T first, String two, T second, String three, T third) {
    Map<String, T> words = new LinkedHashMap<>();
    words.put(one, first);
    words.put(two, second);
    words.put(three, third);
    return Collections.unmodifiableMap(words);
  }

  /// Returns the value of a word. Returns the first value if no word is specified or if there was
  /// an error, which is recorded.
  ///
  /// @param words the words in the order in which they are listed in an error message
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

  /// Returns the parsed value of a string. Returns `otherwise` if there is no value or if there was
  /// an error, which is recorded.
  ///
  /// @param example a valid string
  default <T> T parsed(String key, T otherwise, String example, Parser<T> reader) {
    T parsed = parsed(key, example, reader);
    return parsed == null ? otherwise : parsed;
  }

  /// Returns the parsed value of a string. Returns null if there is no value or if there was an
  /// error, which is recorded.
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

  /// A parser of strings.
  @FunctionalInterface
  interface Parser<T> {
    /// Parses the given string.
    ///
    /// @throws IllegalArgumentException with the reason if the string is not valid
    T parse(String text);
  }
}
