package sluice.cli;

import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/// Implements the command `sluice vi pingpong`. It runs in the main thread.
@Command(
    name = "pingpong",
    description = "Measures round trips: one message at a time, sent back.",
    footer = "Without --listen or --connect, both ends run, in two processes.",
    mixinStandardHelpOptions = true)
final class ViPingPong extends ViOptions implements Callable<Integer> {
  @Override
  public Integer call() throws Exception {
    return run("pingpong");
  }

  @Override
  Map<String, Object> ask(ViWork exchange) throws IOException {
    return exchange.askRoundTrips();
  }

  @Override
  void answer(ViWork exchange) throws IOException {
    exchange.answerRoundTrips();
  }

  @Override
  String line(Map<String, Object> figures) {
    return String.format(
        Locale.ROOT,
        "round trip p50 %.2f us, p90 %.2f us, p99 %.2f us (%,d messages)",
        number(figures, "rtt_p50_us"),
        number(figures, "rtt_p90_us"),
        number(figures, "rtt_p99_us"),
        count);
  }

  @Override
  int defaultCount() {
    return 100_000;
  }
}
