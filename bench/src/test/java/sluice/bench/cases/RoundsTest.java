package sluice.bench.cases;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RoundsTest {
  @Test
  void oddRoundsAreBackward() {
    List<String> systems = new ArrayList<>(List.of("ours", "theirs", "ours again"));
    assertThat(Rounds.inTurn(systems, 0)).containsExactly("ours", "theirs", "ours again");
    assertThat(Rounds.inTurn(systems, 1)).containsExactly("ours again", "theirs", "ours");
    List<String> order = Rounds.inTurn(systems, 3);
    systems.clear();
    assertThat(order).hasSize(3);
  }
}
