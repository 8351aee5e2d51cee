package sluice.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
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
import sluice.memory.block.Block;
import sluice.memory.block.Region;
import sluice.testbase.AllocatedBytes;

/// Measures the cost of allocating zeroed memory and freeing it again, by size, in a [Region]
/// beside the C heap and the JDK's arenas. It also measures a region's own memory, and how full it
/// gets in a long random workload before a request is refused. Used by the main thread, in the
/// harness's own JVM.
///
/// All systems of a case are measured in turn, in an order that is reversed each round; the first
/// system runs twice, as the control.
final class RegionBench implements Bench {
  private static final String NAME = "region";
  private static final int HELD = 64;
  private static final int REPLACED = 1000;
  private static final long CAPACITY_BYTES = 128 << 20;
  private static final String MIXED = "1 KB to 256 KB";
  private static final int MIXED_UNIT_BYTES = 1024;
  private static final int MIXED_POWERS = 8;

  /// As in "The JX Operating System", section 2.5.
  private static final long PAPER_BYTES = 116_977L * 1024;

  private static final int WORKLOAD_STEPS = 300_000;
  private static final List<String> SYSTEMS =
      List.of("sluice/region", "sluice/heap", "malloc", "arena/confined", "arena/shared");

  /// A case.
  ///
  /// @param bytes of each block; 0 if they are mixed
  private record Case(String name, int bytes, int unitBytes) {}

  private static final List<Case> CASES =
      List.of(
          new Case("64 bytes", 64, 64),
          new Case("4 KB", 4096, 4096),
          new Case("64 KB", 64 << 10, 4096),
          new Case("1 MB", 1 << 20, 4096),
          new Case(MIXED, 0, MIXED_UNIT_BYTES));

  /// A system, with its rounds.
  private record Entry(AllocatorSlots slots, Series series) {}

  private final int[] sizes = new int[REPLACED];
  private final int[] places = new int[REPLACED];

  RegionBench() {
    Random random = new Random(11);
    for (int i = 0; i < REPLACED; i++) {
      sizes[i] = mixed(random);
      places[i] = random.nextInt(HELD);
    }
  }

  /// Returns a random size, with equal probability for each power of two.
  private static int mixed(Random random) {
    int least = 1024 << random.nextInt(MIXED_POWERS);
    return least + random.nextInt(least);
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
      text.append(String.join(" ", SYSTEMS)).append('\n');
    }
    return text.toString();
  }

  @Override
  public void check(Options options) {
    if (!options.peers().isEmpty()) {
      throw new IllegalArgumentException("region always compares the same systems\n" + list());
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

  private CaseResult measure(Options options, Case one) throws IOException {
    List<Entry> entries = new ArrayList<>();
    try {
      entries.add(entry(one, SYSTEMS.getFirst(), false));
      entries.add(entry(one, SYSTEMS.getFirst(), true));
      for (String system : SYSTEMS.subList(1, SYSTEMS.size())) {
        entries.add(entry(one, system, false));
      }
      for (Entry entry : entries) {
        double _ = nanos(one, entry.slots, options.warmSeconds());
      }
      for (int round = 0; round < options.rounds(); round++) {
        for (Entry entry : Rounds.inTurn(entries, round)) {
          double nanos = nanos(one, entry.slots, options.seconds());
          entry.series.addRound(Map.of("ns_per_record", nanos));
          Progress.say(
              "[region] %s: round %d/%d %-18s %.1f ns"
                  .formatted(
                      one.name,
                      round + 1,
                      options.rounds(),
                      entry.series.label() + (entry.series.control() ? " (A/A)" : ""),
                      nanos));
        }
      }
    } finally {
      entries.forEach(entry -> entry.slots.close());
    }
    for (Entry entry : entries) {
      if (!entry.series.control()) {
        entry.series.putOnce(once(one, entry));
      }
    }
    List<Series> series = entries.stream().map(Entry::series).toList();
    return new CaseResult(NAME, one.name, series, Map.of());
  }

  private static Entry entry(Case one, String system, boolean control) throws IOException {
    AllocatorSlots slots = AllocatorSlots.of(system, HELD, CAPACITY_BYTES, one.unitBytes);
    return new Entry(slots, new Series(system, control));
  }

  /// Returns the nanoseconds for freeing a block and allocating another in its place, whose pages
  /// are touched.
  private double nanos(Case one, AllocatorSlots slots, double seconds) {
    long start = System.nanoTime();
    long window = (long) (seconds * 1e9);
    long operations = 0;
    long elapsed;
    do {
      replace(one, slots);
      operations += REPLACED;
      elapsed = System.nanoTime() - start;
    } while (elapsed < window);
    return (double) elapsed / operations;
  }

  private void replace(Case one, AllocatorSlots slots) {
    for (int i = 0; i < REPLACED; i++) {
      slots.replace(places[i], one.bytes == 0 ? sizes[i] : one.bytes);
    }
  }

  private Map<String, Double> once(Case one, Entry entry) throws IOException {
    Map<String, Double> found = new LinkedHashMap<>();
    try (AllocatorSlots slots =
        AllocatorSlots.of(entry.series.label(), HELD, CAPACITY_BYTES, one.unitBytes)) {
      replace(one, slots);
      long before = AllocatedBytes.ofThisThread();
      replace(one, slots);
      long after = AllocatedBytes.ofThisThread();
      found.put("java_bytes_per_block", (double) (after - before) / REPLACED);
    }
    if (one.name.equals(MIXED) && entry.series.label().equals(SYSTEMS.getFirst())) {
      found.putAll(workload());
    }
    return found;
  }

  /// Allocates until a request is refused, frees at random until an eighth is free, and so on.
  private static Map<String, Double> workload() throws IOException {
    Random random = new Random(12);
    Account account = new Account(NAME, PAPER_BYTES);
    List<Block> held = new ArrayList<>();
    double lowest = 100;
    double sum = 0;
    int refusals = 0;
    long asked = 0;
    long given = 0;
    Map<String, Double> found = new LinkedHashMap<>();
    try (Region region = Region.openAnonymous(NAME, PAPER_BYTES, MIXED_UNIT_BYTES, false)) {
      for (int step = 0; step < WORKLOAD_STEPS; step++) {
        int bytes = mixed(random);
        long free = region.freeBytes();
        @Nullable Block block = region.allocate(account, bytes);
        if (block != null) {
          held.add(block);
          asked += bytes;
          given += free - region.freeBytes();
          continue;
        }
        double used = 100.0 * account.usedBytes() / PAPER_BYTES;
        if (step > WORKLOAD_STEPS / 10) {
          refusals++;
          sum += used;
          lowest = Math.min(lowest, used);
        }
        while (region.freeBytes() < PAPER_BYTES / 8) {
          int last = held.size() - 1;
          int any = random.nextInt(held.size());
          held.set(any, held.set(last, held.get(any))).release();
          held.removeLast();
        }
      }
      long[] areas = region.freeAreas();
      long largest = 0;
      for (long area : areas) {
        largest = Math.max(largest, area);
      }
      found.put("bitmap_bytes", (double) region.overheadBytes());
      found.put("bitmap_percent", 100.0 * region.overheadBytes() / PAPER_BYTES);
      found.put("rounded_up_percent", 100.0 * (given - asked) / given);
      found.put("used_percent_when_refused", sum / Math.max(1, refusals));
      found.put("used_percent_when_refused_least", lowest);
      found.put("refusals", (double) refusals);
      found.put("free_areas_at_the_end", (double) areas.length);
      found.put("largest_free_bytes_at_the_end", (double) largest);
      held.forEach(Block::release);
    }
    return found;
  }
}
