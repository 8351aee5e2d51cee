package sluice.bench.cases;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import sluice.bench.run.Options;

/// Selects the cases of a bench by `--cases` and `--quick`, and checks the `--peers`. Stateless.
public final class CaseChoice {
  private CaseChoice() {}

  /// Returns the selected cases. Each pattern selects the case of that name; if there is none, the
  /// cases whose names begin with its words (`c1` is not a word of `c1280 active 64`); if there are
  /// none, those that begin with its letters. Without patterns all cases are selected, or the quick
  /// ones.
  ///
  /// @param all cases, whose order is kept
  /// @param quick true for the cases of `--quick`
  /// @throws IllegalArgumentException if a pattern selects none, with a message for the user
  public static <T> List<T> of(
      Options options, List<T> all, Function<T, String> name, Predicate<T> quick) {
    if (options.cases().isEmpty()) {
      return options.quick() ? all.stream().filter(quick).toList() : all;
    }
    List<String> names = all.stream().map(name).toList();
    Set<String> chosen = new HashSet<>();
    for (String pattern : options.cases()) {
      List<String> meant = meant(pattern, names);
      if (meant.isEmpty()) {
        throw new IllegalArgumentException(
            "no case of %s begins with %s; sluice bench %s --help lists them"
                .formatted(options.bench(), pattern, options.bench()));
      }
      chosen.addAll(meant);
    }
    return all.stream().filter(one -> chosen.contains(name.apply(one))).toList();
  }

  /// Checks the systems of `--peers`.
  ///
  /// @param known returns true if a system takes part in the selected cases
  /// @throws IllegalArgumentException if one does not, with a message for the user
  public static void checkPeers(Bench bench, Options options, Predicate<String> known) {
    for (String peer : options.peers()) {
      if (!known.test(peer)) {
        throw new IllegalArgumentException(
            "no system of %s is called %s%n%s".formatted(bench.name(), peer, bench.list()));
      }
    }
  }

  private static List<String> meant(String pattern, List<String> names) {
    if (names.contains(pattern)) {
      return List.of(pattern);
    }
    List<String> letters = names.stream().filter(name -> name.startsWith(pattern)).toList();
    List<String> words =
        letters.stream()
            .filter(name -> !Character.isLetterOrDigit(name.charAt(pattern.length())))
            .toList();
    return words.isEmpty() ? letters : words;
  }
}
