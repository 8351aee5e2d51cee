package sluice.memory.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class UnitMapTest {
  private record Area(int at, int count) {}

  @Test
  void takesTheFirstAreaThatIsLongEnough() {
    UnitMap map = new UnitMap(200);
    assertThat(map.take(60)).isZero();
    assertThat(map.take(10)).isEqualTo(60);
    assertThat(map.take(130)).isEqualTo(70);
    assertThat(map.take(1)).isEqualTo(-1);
    map.give(60, 10);
    map.give(3, 2);
    assertThat(map.freeAreas()).containsExactly(2, 10);
    assertThat(map.take(3)).isEqualTo(60);
    assertThat(map.take(2)).isEqualTo(3);
    assertThat(map.freeUnits()).isEqualTo(7);
  }

  @Test
  void neighboursAreJoined() {
    UnitMap map = new UnitMap(300);
    for (int i = 0; i < 300; i += 50) {
      assertThat(map.take(50)).isEqualTo(i);
    }
    map.give(0, 50);
    map.give(100, 50);
    assertThat(map.freeAreas()).containsExactly(50, 50);
    map.give(50, 50);
    assertThat(map.freeAreas()).containsExactly(150);
    assertThat(map.take(150)).isZero();
  }

  @Test
  void refusesAUnitThatIsFree() {
    UnitMap map = new UnitMap(64);
    int at = map.take(4);
    map.give(at, 4);
    assertThatThrownBy(() -> map.give(at, 4)).isInstanceOf(IllegalStateException.class);
  }

  /// Checks the overhead that the paper computes: 14 622 bytes for 116 977 blocks of 1 KB.
  @Test
  void takesABitAUnit() {
    assertThat(new UnitMap(116_977).overheadBytes()).isBetween(14_622L, 15_000L);
  }

  /// Compares the map with a bit set that is searched from its beginning each time.
  @Test
  void doesAsAModelDoes() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int run = 0; run < 60; run++) {
      int units = 1 + random.nextInt(run % 2 == 0 ? 200 : 9000);
      int most = 1 + random.nextInt(run % 3 == 0 ? units : Math.min(units, 70));
      UnitMap map = new UnitMap(units);
      BitSet model = new BitSet();
      List<Area> held = new ArrayList<>();
      int takes = 1 + random.nextInt(3);
      for (int step = 0; step < 3000; step++) {
        if (random.nextInt(4) < takes || held.isEmpty()) {
          int count = 1 + random.nextInt(most);
          int wanted = firstFit(model, units, count);
          assertThat(map.take(count))
              .as("seed %d, run %d, step %d", seed, run, step)
              .isEqualTo(wanted);
          if (wanted >= 0) {
            model.set(wanted, wanted + count);
            held.add(new Area(wanted, count));
          }
        } else {
          Area area = held.remove(random.nextInt(held.size()));
          map.give(area.at, area.count);
          model.clear(area.at, area.at + area.count);
        }
        assertThat(map.freeUnits()).isEqualTo(units - model.cardinality());
      }
      assertThat(map.freeAreas()).as("seed %d", seed).containsExactly(areas(model, units));
    }
  }

  private static int firstFit(BitSet taken, int units, int count) {
    int at = taken.nextClearBit(0);
    while (at + count <= units) {
      int end = taken.nextSetBit(at);
      if (end < 0 || end - at >= count) {
        return at;
      }
      at = taken.nextClearBit(end);
    }
    return -1;
  }

  private static int[] areas(BitSet taken, int units) {
    List<Integer> lengths = new ArrayList<>();
    int at = taken.nextClearBit(0);
    while (at < units) {
      int end = taken.nextSetBit(at);
      end = end < 0 ? units : end;
      lengths.add(end - at);
      at = taken.nextClearBit(end);
    }
    return lengths.stream().mapToInt(Integer::intValue).toArray();
  }
}
