package sluice.domain.guest;

import java.util.function.Supplier;

/// A record whose methods the JVM builds from handles of its fields, except for its text, which has
/// a method of its own.
///
/// @param first the first component
/// @param second the second component
public record Pair(String first, long second) implements Supplier<String> {
  /// Creates a pair with sample values.
  public Pair() {
    this("one", 2);
  }

  @Override
  public String get() {
    return this + " " + equals(new Pair("one", 2)) + " " + (hashCode() == new Pair().hashCode());
  }
}
