package sluice.domain.portal;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import sluice.memory.Memory;

/// The services of the contract, with their interfaces. Public, so that a second loader's copies
/// can be used.
public final class Shop {
  private Shop() {}

  /// A callback of a service.
  public interface Listener {
    String heard(String text);
  }

  /// A message, which is data.
  public record Note(String text, List<Integer> numbers) {}

  /// An exception with a constructor that takes the message.
  public static final class Closed extends Exception {
    private static final long serialVersionUID = 1;

    public Closed(String message) {
      super(message);
    }
  }

  /// An exception that would lose its field.
  public static final class Coded extends RuntimeException {
    private static final long serialVersionUID = 1;
    public final int code = 7;

    public Coded(String message) {
      super(message);
    }
  }

  /// An exception without a message.
  public static final class Mute extends RuntimeException {
    private static final long serialVersionUID = 1;

    @Override
    public String getMessage() {
      throw new AssertionError("no message");
    }

    @Override
    public String toString() {
      throw new AssertionError("no text");
    }

    @Override
    public synchronized Throwable getCause() {
      throw new AssertionError("no cause");
    }
  }

  /// The interface of the service.
  public interface Counter {
    long add(int a, long b, double c, boolean d);

    @Nullable Object echo(@Nullable Object value);

    List<Integer> grow(List<Integer> list);

    @Nullable Listener keep(@Nullable Listener listener);

    String tell(Listener listener, String text);

    void fail(String how) throws Closed, IOException;

    String party();

    String join(String separator, Object... parts);

    Object nested(int levels);

    void block(String until) throws InterruptedException;

    long store(List<Memory> memory, long value);

    long await(Memory memory) throws InterruptedException;

    default String twice(String text) {
      return text + text;
    }
  }

  /// Returns sets of two sets each, which contain the same two sets: few objects, but the number of
  /// paths to the innermost is a power of two. Each set is filled before its hash becomes
  /// expensive.
  public static Object nestedSets(int levels) {
    Set<Object> left = new HashSet<>();
    Set<Object> right = new HashSet<>();
    List<Set<Object>> all = new ArrayList<>(List.of(left, right));
    Set<Object> top = new HashSet<>();
    top.add(all);
    Set<Object> innerLeft = new HashSet<>(List.of("a"));
    Set<Object> innerRight = new HashSet<>(List.of("b"));
    for (int i = 0; i < levels; i++) {
      left.add(1);
      right.add(2);
      Set<Object> nextLeft = new HashSet<>();
      Set<Object> nextRight = new HashSet<>();
      left.add(nextLeft); // empty yet, so its hash is cheap
      left.add(Arrays.asList(nextRight));
      right.add(nextLeft);
      right.add(Arrays.asList(nextRight));
      left = nextLeft;
      right = nextRight;
    }
    left.add(innerLeft);
    right.add(innerRight);
    return top;
  }

  /// Counted down when a blocking call has begun.
  public static volatile CountDownLatch entered = new CountDownLatch(1);

  public static volatile CountDownLatch proceed = new CountDownLatch(1);

  /// The object behind the portal.
  public static final class Till implements Counter {
    public volatile @Nullable Listener kept;
    public volatile @Nullable Object seen;
    public volatile @Nullable Thread ran;
    public volatile boolean interrupted;
    public volatile @Nullable Memory memory;

    /// The number of calls of [#add]. A plain field, because calls of the service never overlap.
    public int added;

    @Override
    public Object nested(int levels) {
      return nestedSets(levels);
    }

    @Override
    public String join(String separator, Object... parts) {
      return String.join(separator, java.util.Arrays.stream(parts).map(String::valueOf).toList());
    }

    @Override
    public long add(int a, long b, double c, boolean d) {
      added++;
      ran = Thread.currentThread();
      return a + b + (long) c + (d ? 1 : 0);
    }

    @Override
    public @Nullable Object echo(@Nullable Object value) {
      seen = value;
      return value;
    }

    @Override
    public List<Integer> grow(List<Integer> list) {
      list.add(99);
      seen = list;
      return list;
    }

    @Override
    public @Nullable Listener keep(@Nullable Listener listener) {
      Listener before = kept;
      kept = listener;
      return before;
    }

    @Override
    public String tell(Listener listener, String text) {
      return listener.heard(text);
    }

    @Override
    public void fail(String how) throws Closed, IOException {
      switch (how) {
        case "closed" -> throw new Closed("at noon");
        case "io" -> throw new IOException("disk");
        case "coded" -> throw new Coded("lost");
        case "deep" -> fail(how);
        case "mute" -> throw new Mute();
        case "caused" -> throw caused();
        default -> throw new IllegalStateException(how);
      }
    }

    /// Returns an exception with a cause that refers back to it, and a suppressed exception.
    private static IllegalStateException caused() {
      IllegalStateException top = new IllegalStateException("top");
      top.addSuppressed(new Coded("beside"));
      IOException below = new IOException("below", new Closed("lowest"));
      below.addSuppressed(top);
      top.initCause(below);
      return top;
    }

    @Override
    public String party() {
      return Portals.current().map(Party::name).orElse("none");
    }

    @Override
    public long store(List<Memory> list, long value) {
      Memory given = list.getFirst();
      memory = given;
      given.setLong(8, value);
      if (value < 0) {
        throw new IllegalStateException("negative");
      }
      return given.getLong(8);
    }

    @Override
    public long await(Memory given) throws InterruptedException {
      given.setLong(0, 1);
      entered.countDown();
      proceed.await();
      given.setLong(0, 2);
      return given.getLong(0);
    }

    @Override
    public void block(String until) throws InterruptedException {
      entered.countDown();
      try {
        proceed.await();
      } catch (InterruptedException e) {
        interrupted = true;
        throw e;
      }
    }
  }

  public static List<Integer> numbers(Integer... numbers) {
    return new ArrayList<>(List.of(numbers));
  }
}
