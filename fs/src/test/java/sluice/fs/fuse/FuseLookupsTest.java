package sluice.fs.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Compares the table of nodes that the kernel knows with a plain map.
@Timeout(120)
final class FuseLookupsTest {
  @Test
  void agreesWithAMap() {
    long seed = Long.getLong("sluice.seed", 1);
    Random random = new Random(seed);
    FuseLookups table = new FuseLookups();
    Map<Long, Long> counts = new HashMap<>();
    Map<Long, Boolean> held = new HashMap<>();
    for (int step = 0; step < 300_000; step++) {
      int most = step / 50_000 % 2 == 0 ? 10_000 : 50; // grows and shrinks
      long inode = 1L + random.nextInt(most);
      switch (random.nextInt(4)) {
        case 0, 1 -> {
          table.add(inode);
          counts.merge(inode, 1L, Long::sum);
        }
        case 2 -> {
          long count = 1L + random.nextInt(3);
          long left = counts.getOrDefault(inode, 0L) - count;
          boolean last = counts.containsKey(inode) && left <= 0;
          boolean kept = last && held.getOrDefault(inode, false);
          assertThat(table.forget(inode, count)).as("seed %d", seed).isEqualTo(kept);
          if (last) {
            counts.remove(inode);
            held.remove(inode);
          } else if (counts.containsKey(inode)) {
            counts.put(inode, left);
          }
        }
        default -> {
          boolean fresh = counts.containsKey(inode) && held.putIfAbsent(inode, true) == null;
          assertThat(table.hold(inode)).as("seed %d", seed).isEqualTo(fresh);
        }
      }
      assertThat(table.size()).as("seed %d", seed).isEqualTo(counts.size());
    }
    assertThat(table.held()).as("seed %d", seed).hasSize(held.size());
    for (long inode = 1; inode <= 10_000; inode++) {
      assertThat(table.contains(inode)).as("seed %d", seed).isEqualTo(counts.containsKey(inode));
    }
  }
}
