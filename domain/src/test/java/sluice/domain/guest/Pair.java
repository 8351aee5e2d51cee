package sluice.domain.guest;

import java.util.function.Supplier;

/// A record, whose methods the JVM makes from handles of its fields; as text, by a method of its
/// own.
///
/// @param first one
/// @param second the other
public record Pair(String first, long second) implements Supplier<String> {
  /// One of some values.
  public Pair() {
    this("one", 2);
  }

  @Override
  public String get() {
    return this + " " + equals(new Pair("one", 2)) + " " + (hashCode() == new Pair().hashCode());
  }
}
