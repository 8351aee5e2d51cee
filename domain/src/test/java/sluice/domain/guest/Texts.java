package sluice.domain.guest;

/// A service whose results are as long as the caller asks.
public interface Texts {
  /// So many letters.
  String of(int length);

  /// The same letter again and again.
  final class Repeated implements Texts {
    public Repeated() {}

    @Override
    public String of(int length) {
      return "x".repeat(length);
    }
  }
}
