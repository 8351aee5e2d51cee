package sluice.host.text;

import java.util.Arrays;
import java.util.Collection;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Finds the known word that is most similar to a misspelled word. This class is stateless.
public final class Nearest {
  private static final int MOST_WRONG = 2;

  private Nearest() {}

  /// Returns the known word with the smallest edit distance to the given word, or null if there is
  /// none. The distance must be at most two and at most half of the letters. Case, leading dashes
  /// and the difference between `_` and `-` are ignored.
  public static @Nullable String of(String word, Collection<String> known) {
    String wanted = bare(word.replace('_', '-').toLowerCase(Locale.ROOT));
    String nearest = null;
    int least = Math.min(MOST_WRONG, wanted.length() / 2) + 1;
    for (String each : known) {
      int distance = distance(wanted, bare(each));
      if (distance < least) {
        least = distance;
        nearest = each;
      }
    }
    return nearest;
  }

  /// Returns the end of a message, such as `. Fix: write --port`, or an empty string if there is no
  /// similar known word.
  public static String fix(String word, Collection<String> known) {
    String near = of(word, known);
    return near == null ? "" : ". Fix: write " + near;
  }

  private static String bare(String word) {
    int from = 0;
    while (from < word.length() && word.charAt(from) == '-') {
      from++;
    }
    return word.substring(from);
  }

  /// Returns the Levenshtein distance of two words.
  private static int distance(String one, String other) {
    int[] row = new int[other.length() + 1];
    Arrays.setAll(row, i -> i);
    for (int i = 1; i <= one.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= other.length(); j++) {
        int above = row[j];
        int exchanged = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(exchanged, Math.min(row[j], row[j - 1]) + 1);
        diagonal = above;
      }
    }
    return row[other.length()];
  }
}
