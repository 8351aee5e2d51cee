package sluice.domain.guest;

/// A service that returns texts of any length.
public interface Texts {
  /// Returns a text of so many letters.
  String of(int length);

  /// Repeats a single letter.
  final class Repeated implements Texts {
    public Repeated() {}

    @Override
    public String of(int length) {
      return "x".repeat(length);
    }
  }
}
