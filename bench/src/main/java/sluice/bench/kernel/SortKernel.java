package sluice.bench.kernel;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntToLongFunction;

/// Sorts numbers by insertion and by quicksort, and strings by the JDK with a comparator of its
/// own: tight loops, for which gates cost most. Owned by the thread that runs it.
public final class SortKernel implements IntToLongFunction {
  private static final int SMALL = 24;

  private final int[] numbers = new int[2_000];
  private final List<String> words = new ArrayList<>();

  /// Makes the data to sort.
  public SortKernel() {
    int state = 1;
    for (int i = 0; i < numbers.length; i++) {
      state = state * 1103515245 + 12345;
      numbers[i] = state >>> 1;
      if (i % 10 == 0) {
        words.add("word" + numbers[i]);
      }
    }
  }

  @Override
  public long applyAsLong(int times) {
    long sum = 0;
    for (int i = 0; i < times; i++) {
      int[] copy = numbers.clone();
      sort(copy, 0, copy.length - 1);
      List<String> sorted = new ArrayList<>(words);
      sorted.sort(Comparator.comparingInt((String word) -> word.length()).thenComparing(w -> w));
      sum += copy[i % copy.length] + sorted.getFirst().length();
    }
    return sum;
  }

  private static void sort(int[] a, int from, int to) {
    if (to - from < SMALL) {
      insert(a, from, to);
      return;
    }
    int pivot = a[(from + to) >>> 1];
    int low = from;
    int high = to;
    while (low <= high) {
      while (a[low] < pivot) {
        low++;
      }
      while (a[high] > pivot) {
        high--;
      }
      if (low <= high) {
        int value = a[low];
        a[low++] = a[high];
        a[high--] = value;
      }
    }
    sort(a, from, high);
    sort(a, low, to);
  }

  private static void insert(int[] a, int from, int to) {
    for (int i = from + 1; i <= to; i++) {
      int value = a[i];
      int at = i - 1;
      while (at >= from && a[at] > value) {
        a[at + 1] = a[at];
        at--;
      }
      a[at + 1] = value;
    }
  }
}
