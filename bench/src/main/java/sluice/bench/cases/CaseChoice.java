package sluice.bench.cases;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import sluice.bench.run.Options;

/// Which cases of a bench `--cases` and `--quick` mean, and whether it has the `--peers`.
/// Stateless.
public final class CaseChoice {
  private CaseChoice() {}

  /// Each pattern means the case of that name; if there is none, those whose names begin with its
  /// words (`c1` is no word of `c1280 active 64`); if there are none, those that begin with its
  /// letters. Without patterns all cases are meant, or the quick ones.
  ///
  /// @param all cases, whose order stays
  /// @param quick whether `--quick` has the case
  /// @throws IllegalArgumentException when a pattern means none, for the user to read
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

  /// Checks what `--peers` asks for.
  ///
  /// @param known whether a system takes part in the chosen cases
  /// @throws IllegalArgumentException when one does not, for the user to read
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
