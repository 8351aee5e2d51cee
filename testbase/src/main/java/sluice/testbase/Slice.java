package sluice.testbase;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/// Which part of a long suite this run does. Immutable: any thread may use it.
///
/// The environment variable `SLUICE_SLICE=K/N` chooses the K-th of N parts, K from 0. Without it a
/// twentieth runs, always the same one; continuous integration takes another seventh each day, and
/// `./sluice test --acceptance` takes all.
///
/// @param index 0 to `count` - 1
/// @param count parts there are, at least 1
public record Slice(int index, int count) {
  private static final Slice DEFAULT = new Slice(0, 20);
  private static final Pattern FORM = Pattern.compile("([0-9]{1,6})/([0-9]{1,6})");

  /// Checks the range.
  public Slice {
    if (count < 1 || index < 0 || index >= count) {
      throw new IllegalArgumentException("no part " + index + " of " + count);
    }
  }

  /// The part that the environment names.
  public static Slice current() {
    return parse(System.getenv("SLUICE_SLICE"));
  }

  /// @param text `K/N`, or null or empty for the part that runs by default
  static Slice parse(@Nullable String text) {
    if (text == null || text.isEmpty()) {
      return DEFAULT;
    }
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("SLUICE_SLICE must be K/N, such as 0/10: " + text);
    }
    return new Slice(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)));
  }

  /// How much of something that is counted, such as requests, this part does: the parts differ by
  /// one at most and are `total` together.
  public long share(long total) {
    return total * (index + 1) / count - total * index / count;
  }

  /// The seeds of this part, ascending.
  ///
  /// @param total all seeds are 0 to `total` - 1
  public LongStream seeds(long total) {
    return LongStream.iterate(index, seed -> seed < total, seed -> seed + count);
  }
}
