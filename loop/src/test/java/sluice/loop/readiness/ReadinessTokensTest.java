package sluice.loop.readiness;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ReadinessTokensTest {
  @Test
  void findsWhatAMapFinds() {
    for (long seed = 0; seed < 50; seed++) {
      Random random = new Random(seed);
      ReadinessTokens tokens = new ReadinessTokens();
      Map<Long, Integer> model = new HashMap<>();
      List<Long> names = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        // some dense, some with their difference in the high bits only, as the loop's tokens
        names.add(random.nextBoolean() ? i + 1L : (long) (i + 1) << 40);
      }
      for (int step = 0; step < 3000; step++) {
        long name = names.get(random.nextInt(names.size()));
        if (random.nextInt(5) < 3) {
          tokens.put(name, step);
          model.put(name, step);
        } else {
          tokens.remove(name);
          model.remove(name);
        }
      }
      for (long name : names) {
        assertThat(tokens.get(name)).as("seed %s", seed).isEqualTo(model.getOrDefault(name, -1));
      }
      names.forEach(tokens::remove);
      assertThat(names).allMatch(name -> tokens.get(name) == -1);
    }
  }
}
