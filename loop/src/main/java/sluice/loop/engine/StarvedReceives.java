package sluice.loop.engine;

import java.util.ArrayDeque;
import java.util.function.Consumer;
import java.util.function.Predicate;

/// Receives that found no chunk and wait to be armed again, the longest first. Of the thread that
/// turns the engine.
///
/// @param <T> what receives
public final class StarvedReceives<T> {
  private final ArrayDeque<T> waiting = new ArrayDeque<>();

  /// @param receive not waiting already
  public void add(T receive) {
    waiting.add(receive);
  }

  public boolean isEmpty() {
    return waiting.isEmpty();
  }

  /// Arms those that have waited longest.
  ///
  /// @param most of them; more than there are chunks would starve again
  /// @param fed which of them the chunks are for; the others keep their order
  public void feed(int most, Predicate<T> fed, Consumer<T> arm) {
    int left = most;
    for (int looks = waiting.size(); looks > 0 && left > 0; looks--) {
      T first = waiting.remove();
      if (fed.test(first)) {
        left--;
        arm.accept(first);
      } else {
        waiting.add(first);
      }
    }
  }
}
