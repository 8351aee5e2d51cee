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

/// The named values that describe one thing that runs: a table of a file, or the options of a
/// command line, which are a short form of such a table. Both are read by the same code, with the
/// same checks. Used by one thread.
///
/// What is wrong is kept by [#take] and by the methods that take a default, so that all of it is
/// reported at once.
public interface Values {
  /// Takes a part. What is wrong with it is kept.
  ///
  /// @return false if something is wrong with it
  boolean take(Runnable part);

  /// Returns what a part is, or, if it is wrong, something else: the reading goes on, and its
  /// result is never used.
  default <T> T take(T otherwise, Supplier<T> part) {
    List<T> taken = new ArrayList<>();
    return take(() -> taken.add(part.get())) ? taken.getFirst() : otherwise;
  }

  /// Returns what a part is; null if it is nothing, or wrong.
  default <T> @Nullable T takeOrNull(Supplier<Optional<T>> part) {
    return take(Optional.empty(), part).orElse(null);
  }

  /// Checks that all keys are known; unknown ones are kept.
  ///
  /// @param what the values describe, for the message
  void requireKeys(Set<String> known, String what);

  /// Returns true if the value is given.
  boolean has(String key);

  /// Returns how the user names a key: `port` in a file, `--port` in a command line.
  String name(String key);

  /// Returns how the user gives a value: `port = 2049`, or `--port 2049`.
  ///
  /// @param value a string, a number, a truth value or a list of strings
  String example(String key, Object value);

  /// Returns an error at a key, or, if the key is not given, at the table.
  WrongValue wrong(String key, @Nullable String why, String fix);

  /// Returns a text; null if there is none.
  ///
  /// @throws WrongValue if it is of another type
  @Nullable String string(String key);

  /// Returns a whole number; null if there is none.
  ///
  /// @throws WrongValue if it is of another type
  @Nullable Long number(String key);

  /// Returns a truth value; `otherwise` if there is none.
  ///
  /// @throws WrongValue if it is of another type
  boolean flag(String key, boolean otherwise);

  /// Returns the texts of a list; empty if there is none.
  ///
  /// @throws WrongValue if it is of another type
  List<String> strings(String key);

  /// Returns a path, seen from where the file is; null if there is none.
  ///
  /// @throws WrongValue if it is none
  @Nullable Path path(String key);

  /// Returns a number of a range, or `otherwise` if there is none; a wrong one is kept.
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

  /// Returns three words and what they stand for, in this order.
  static <T> Map<String, T> words(
      String one, T first, String two, T second, String three, T third) {
    Map<String, T> words = new LinkedHashMap<>();
    words.put(one, first);
    words.put(two, second);
    words.put(three, third);
    return Collections.unmodifiableMap(words);
  }

  /// Returns what a word stands for, or the first if there is none; a wrong one is kept.
  ///
  /// @param words in the order in which a message names them
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

  /// Returns what a text is read as, or `otherwise` if there is none; a wrong one is kept.
  ///
  /// @param example a text that is right
  default <T> T parsed(String key, T otherwise, String example, Parser<T> reader) {
    T parsed = parsed(key, example, reader);
    return parsed == null ? otherwise : parsed;
  }

  /// Returns what a text is read as; null if there is none, and for a wrong one, which is kept.
  ///
  /// @param example a text that is right
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

  /// Reads a text.
  @FunctionalInterface
  interface Parser<T> {
    /// Returns what it says.
    ///
    /// @throws IllegalArgumentException with why
    T parse(String text);
  }
}
