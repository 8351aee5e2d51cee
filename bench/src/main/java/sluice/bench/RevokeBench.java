package sluice.bench;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import sluice.bench.cases.Bench;
import sluice.bench.cases.CaseChoice;
import sluice.bench.cases.CaseResult;
import sluice.bench.cases.Rounds;
import sluice.bench.run.Harness;
import sluice.bench.run.MachineLock;
import sluice.bench.run.Options;
import sluice.bench.run.Progress;
import sluice.bench.run.Series;
import sluice.memory.Account;
import sluice.memory.Memory;
import sluice.memory.block.Block;
import sluice.sys.NativeMemory;

/// Measures the cost of lending memory and revoking it, beside a shared arena for each; the time
/// until no earlier reference works any more; and the cost of an access beside one of a plain
/// segment. Used by the main thread, in the harness's own JVM.
///
/// All systems of a case are measured in turn, in an order that is reversed each round; the first
/// system runs twice, as the control. Each has a loop of its own, so that no compiled code serves
/// two of them.
final class RevokeBench implements Bench {
  private static final String NAME = "revoke";
  private static final int LONGS = 512;
  private static final int REVOCATIONS = 64 * 20;
  private static final int PASSES = 2000;
  private static final long MOVING_NANOS = 1_000_000_000L;
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  /// A system of a case.
  ///
  /// @param operations the number of operations in one call of the work
  private record Side(String system, int operations, Work work) {}

  /// A side and its rounds.
  private record Entry(Side side, Series series) {
    static Entry of(Side side, boolean control) {
      return new Entry(side, new Series(side.system, control));
    }
  }

  @FunctionalInterface
  private interface Work {
    long once();
  }

  /// A case.
  ///
  /// @param threads the number of waiting threads: each takes part in a handshake
  private record Case(String name, int threads, List<String> systems) {}

  private static final String DELAY = "until earlier references fail";
  private static final String IN_ORDER = "access in order";
  private static final String AT_RANDOM = "access at random";
  private static final List<String> ENDING = List.of("sluice/lent", "arena");
  private static final List<String> ACCESS = List.of("sluice/lent", "segment");
  private static final List<Case> CASES =
      List.of(
          new Case("make and revoke", 0, ENDING),
          new Case("make and revoke beside 200 threads", 200, ENDING),
          new Case(DELAY, 0, ENDING),
          new Case(IN_ORDER, 0, ACCESS),
          new Case(AT_RANDOM, 0, ACCESS));

  private final int[] places = new int[LONGS];

  @SuppressWarnings("UnusedVariable") // keeps the compiler from dropping the work
  private long sink;

  RevokeBench() {
    List<Integer> shuffled = new ArrayList<>();
    for (int i = 0; i < LONGS; i++) {
      shuffled.add(i * Long.BYTES);
    }
    Collections.shuffle(shuffled, new Random(5));
    for (int i = 0; i < LONGS; i++) {
      places[i] = shuffled.get(i);
    }
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String where() {
    return "one JVM, no server";
  }

  @Override
  public String list() {
    StringBuilder text = new StringBuilder();
    for (Case one : CASES) {
      text.append(NAME + ": ").append(one.name).append(" (quick)\n    ");
      text.append(String.join(" ", one.systems)).append('\n');
    }
    return text.toString();
  }

  @Override
  public void check(Options options) {
    if (!options.peers().isEmpty()) {
      throw new IllegalArgumentException("revoke always compares the same systems\n" + list());
    }
    List<Case> _ = selected(options);
  }

  private static List<Case> selected(Options options) {
    return CaseChoice.of(options, CASES, Case::name, _ -> true);
  }

  @Override
  public void run(Harness harness, Consumer<CaseResult> done) throws IOException {
    try (MachineLock _ = MachineLock.acquire()) {
      for (Case one : selected(harness.options())) {
        done.accept(measure(harness.options(), one));
      }
    }
  }

  private CaseResult measure(Options options, Case one) {
    Account account = new Account(NAME, LONGS * Long.BYTES);
    Block block = Objects.requireNonNull(Block.allocate(account, LONGS * Long.BYTES));
    CountDownLatch end = new CountDownLatch(1);
    List<Thread> waiting = new ArrayList<>();
    Memory memory = Memory.lend(block, 0, block.lengthBytes());
    try (Arena arena = Arena.ofShared()) {
      for (int i = 0; i < one.threads; i++) {
        waiting.add(Thread.ofPlatform().daemon().start(() -> await(end)));
      }
      MemorySegment segment = NativeMemory.alias(block.segment(), arena);
      if (one.systems.equals(ACCESS)) {
        readWhileItIsMoved(block, memory);
      }
      return rounds(options, one, sides(one, block, memory, segment));
    } finally {
      end.countDown();
      waiting.forEach(RevokeBench::join);
      memory.close();
      block.release();
    }
  }

  /// Revokes other memory of the cohort for a second while the memory is read, so that the figures
  /// include what the compilers learn of its moves.
  private void readWhileItIsMoved(Block block, Memory memory) {
    CountDownLatch end = new CountDownLatch(1);
    AtomicLong read = new AtomicLong();
    Thread reader =
        Thread.ofPlatform()
            .daemon()
            .start(() -> {
              while (end.getCount() > 0) {
                read.addAndGet(inOrder(memory) + atRandom(memory));
              }
            });
    long start = System.nanoTime();
    while (System.nanoTime() - start < MOVING_NANOS) {
      sink += lend(block);
    }
    end.countDown();
    join(reader);
    sink += read.get();
  }

  private List<Side> sides(Case one, Block block, Memory memory, MemorySegment segment) {
    return switch (one.name) {
      case IN_ORDER ->
          List.of(
              new Side("sluice/lent", PASSES * LONGS, () -> inOrder(memory)),
              new Side("segment", PASSES * LONGS, () -> inOrder(segment)));
      case AT_RANDOM ->
          List.of(
              new Side("sluice/lent", PASSES * LONGS, () -> atRandom(memory)),
              new Side("segment", PASSES * LONGS, () -> atRandom(segment)));
      case DELAY ->
          List.of(
              new Side("sluice/lent", 1, () -> untilReusable(block)),
              new Side("arena", 1, () -> untilClosed(block)));
      default ->
          List.of(
              new Side("sluice/lent", REVOCATIONS, () -> lend(block)),
              new Side("arena", REVOCATIONS, () -> arenas(block)));
    };
  }

  private CaseResult rounds(Options options, Case one, List<Side> sides) {
    List<Entry> entries =
        List.of(
            Entry.of(sides.getFirst(), false),
            Entry.of(sides.getFirst(), true),
            Entry.of(sides.getLast(), false));
    for (Entry entry : entries) {
      Map<String, Double> _ = metrics(one, entry.side, options.warmSeconds());
    }
    for (int round = 0; round < options.rounds(); round++) {
      for (Entry entry : Rounds.inTurn(entries, round)) {
        Map<String, Double> metrics = metrics(one, entry.side, options.seconds());
        entry.series.addRound(metrics);
        Progress.say(
            "[revoke] %s: round %d/%d %-18s %s"
                .formatted(
                    one.name,
                    round + 1,
                    options.rounds(),
                    entry.side.system + (entry.series.control() ? " (A/A)" : ""),
                    metrics));
      }
    }
    return new CaseResult(NAME, one.name, entries.stream().map(Entry::series).toList(), Map.of());
  }

  private Map<String, Double> metrics(Case one, Side side, double seconds) {
    Map<String, Double> found = new LinkedHashMap<>();
    if (one.name.equals(DELAY)) {
      long[] sorted = delays(side, seconds);
      found.put("p50_us", sorted[sorted.length / 2] / 1e3);
      found.put("p99_us", sorted[sorted.length * 99 / 100] / 1e3);
    } else {
      found.put("ns_per_record", nanos(side, seconds));
    }
    return found;
  }

  private static long[] delays(Side side, double seconds) {
    long start = System.nanoTime();
    long window = (long) (seconds * 1e9);
    LongStream.Builder all = LongStream.builder();
    do {
      all.add(side.work.once());
    } while (System.nanoTime() - start < window);
    return all.build().sorted().toArray();
  }

  /// Returns the nanoseconds per operation over a window.
  private double nanos(Side side, double seconds) {
    long start = System.nanoTime();
    long window = (long) (seconds * 1e9);
    long operations = 0;
    long elapsed;
    do {
      sink += side.work.once();
      operations += side.operations;
      elapsed = System.nanoTime() - start;
    } while (elapsed < window);
    return (double) elapsed / operations;
  }

  private static long lend(Block block) {
    long sum = 0;
    for (int i = 0; i < REVOCATIONS; i++) {
      Memory memory = Memory.lend(block, 0, LONGS * Long.BYTES);
      sum += memory.getLong(0);
      memory.revoke();
    }
    return sum;
  }

  /// Returns the nanoseconds until the lease of memory that was revoked alone has ended: from then
  /// on no reference to it works, and the bytes may be reused.
  private static long untilReusable(Block block) {
    int before = block.leases();
    Memory memory = Memory.lend(block, 0, LONGS * Long.BYTES);
    long start = System.nanoTime();
    memory.revoke();
    while (block.leases() > before) {
      Thread.onSpinWait();
    }
    return System.nanoTime() - start;
  }

  private static long untilClosed(Block block) {
    Arena arena = Arena.ofShared();
    MemorySegment _ = NativeMemory.alias(block.segment(), arena);
    long start = System.nanoTime();
    arena.close();
    return System.nanoTime() - start;
  }

  private static long arenas(Block block) {
    long sum = 0;
    for (int i = 0; i < REVOCATIONS; i++) {
      try (Arena arena = Arena.ofShared()) {
        sum += NativeMemory.alias(block.segment(), arena).get(LONG, 0);
      }
    }
    return sum;
  }

  private static long inOrder(Memory memory) {
    long sum = 0;
    for (int pass = 0; pass < PASSES; pass++) {
      for (int i = 0; i < LONGS; i++) {
        sum += memory.getLong((long) i * Long.BYTES);
      }
    }
    return sum;
  }

  private static long inOrder(MemorySegment segment) {
    long sum = 0;
    for (int pass = 0; pass < PASSES; pass++) {
      for (int i = 0; i < LONGS; i++) {
        sum += segment.get(LONG, (long) i * Long.BYTES);
      }
    }
    return sum;
  }

  private long atRandom(Memory memory) {
    long sum = 0;
    for (int pass = 0; pass < PASSES; pass++) {
      for (int place : places) {
        sum += memory.getLong(place);
      }
    }
    return sum;
  }

  private long atRandom(MemorySegment segment) {
    long sum = 0;
    for (int pass = 0; pass < PASSES; pass++) {
      for (int place : places) {
        sum += segment.get(LONG, place);
      }
    }
    return sum;
  }

  private static void await(CountDownLatch end) {
    try {
      end.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
