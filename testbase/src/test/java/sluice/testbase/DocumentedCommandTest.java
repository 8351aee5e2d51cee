package sluice.testbase;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class DocumentedCommandTest {
  private static List<String> found(String page) {
    return DocumentedCommand.of("a.md", page).stream()
        .map(each -> each.place() + (each.isWhole() ? "!" : "") + " " + each.words())
        .toList();
  }

  @Test
  void commandsOfBlocksAndOfBackQuotes() {
    assertThat(
            found(
                """
                A `./sluice fs cp -a`, and `sluice` alone, and `sluice run app.jar`.
                ```
                sudo ./sluice stat --watch   # not this: sluice stat --other
                sluice example dns 53 tap:tap0,10.0.0.2/24; sluice stat 1 | head
                sluice test --only A#b &
                sluice verify DIR… [--json]
                a diagram with the sluice command
                ```
                sluice in prose
                ```java
                sluice serve in(java);
                ```
                ```ini
                ExecStart=/opt/sluice/sluice serve "/srv/a b" --port 8080
                ```
                """))
        .containsExactly(
            "a.md:1 [fs, cp, -a]",
            "a.md:1 [run, app.jar]",
            "a.md:3! [stat, --watch]",
            "a.md:4! [example, dns, 53, tap:tap0,10.0.0.2/24]",
            "a.md:4! [stat, 1]",
            "a.md:5! [test, --only, A#b]",
            "a.md:6 [verify, DIR…, [--json]]",
            "a.md:14! [serve, /srv/a b, --port, 8080]");
  }
}
