package sluice.http.text;

/// A set of ASCII characters in two words. Immutable; any thread may read it.
public record AsciiSet(long low, long high) {
  /// The characters of a token, RFC 9110 section 5.6.2.
  public static final AsciiSet TOKEN = letters().and(digits()).and(of("!#$%&'*+-.^_`|~"));

  public static AsciiSet of(String characters) {
    long low = 0;
    long high = 0;
    for (int i = 0; i < characters.length(); i++) {
      char c = characters.charAt(i);
      assert c < 0x80;
      if (c < 64) {
        low |= 1L << c;
      } else {
        high |= 1L << (c - 64);
      }
    }
    return new AsciiSet(low, high);
  }

  public static AsciiSet letters() {
    return of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
  }

  public static AsciiSet digits() {
    return of("0123456789");
  }

  public AsciiSet and(AsciiSet other) {
    return new AsciiSet(low | other.low, high | other.high);
  }

  /// Returns true if the set contains `b`; false for every byte from 0x80.
  public boolean has(byte b) {
    if (b < 0) {
      return false;
    }
    return ((b < 64 ? low : high) >>> (b & 63) & 1) != 0;
  }
}
