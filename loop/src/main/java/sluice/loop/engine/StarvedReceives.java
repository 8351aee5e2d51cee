package sluice.loop.engine;

import java.util.ArrayDeque;
import java.util.function.Consumer;
import java.util.function.Predicate;

/// The receives for which no chunk was free and that wait to be armed again, in order of their
/// waiting time. Owned by the thread that turns the engine.
///
/// @param <T> the type that identifies a receive
public final class StarvedReceives<T> {
  private final ArrayDeque<T> waiting = new ArrayDeque<>();

  /// @param receive a receive that is not already waiting
  public void add(T receive) {
    waiting.add(receive);
  }

  public boolean isEmpty() {
    return waiting.isEmpty();
  }

  /// Arms the receives that have waited longest.
  ///
  /// @param most the maximum number of receives to arm; more than the number of free chunks would
  ///   starve again
  /// @param fed selects the receives that may use the chunks; the others keep their order
  /// @param arm arms a receive
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
