package sluice.domain.guest;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Uses each kind of redirect and reports the results. Loaded in domains, and outside for
/// comparison.
@SuppressWarnings("StringSplitter")
public final class Polite implements Callable<List<String>> {
  private static int count;

  @Override
  public List<String> call() throws Exception {
    List<String> seen = new ArrayList<>();
    count++;
    seen.add("count " + count);
    System.out.println("printed");
    seen.add("mine " + System.getProperty("mine", "none"));
    System.setProperty("theirs", "set");
    Matcher matcher = Pattern.compile("(\\w+)@(\\w+)").matcher("to user@host now");
    seen.add(matcher.find() ? matcher.group(2) : "nothing");
    seen.add(String.join("|", "a1b22c".split("[0-9]+")));
    seen.add("a-b-c".replaceFirst("-", "+").replaceAll("-", "*"));
    seen.add("thread " + CompletableFuture.supplyAsync(Polite::group).get());
    ExecutorService pool = Executors.newFixedThreadPool(1);
    seen.add("pool " + pool.submit(Polite::group).get());
    pool.shutdown();
    seen.add("parallel " + List.of(1, 2, 3).parallelStream().mapToInt(i -> i).sum());
    seen.add("locked " + locked(3));
    return seen;
  }

  private static String group() {
    return Thread.currentThread().getThreadGroup().getName();
  }

  private static synchronized int locked(int rounds) {
    int sum = 0;
    for (int i = 0; i < rounds; i++) {
      synchronized (Polite.class) {
        try {
          sum += i;
          if (i == 1) {
            throw new IllegalStateException("one");
          }
        } catch (IllegalStateException e) {
          sum += 10;
        } finally {
          sum += 100;
        }
      }
    }
    return sum;
  }

  /// Prints its arguments.
  public static void main(String[] args) {
    System.out.println("main " + String.join(" ", args));
  }
}
