package sluice.cli;

import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/// Implements the command `sluice vi stream`. It runs in the main thread.
@Command(
    name = "stream",
    description = "Measures bandwidth: messages one way, as fast as they go.",
    footer = "Without --listen or --connect, both ends run, in two processes.",
    mixinStandardHelpOptions = true)
final class ViStream extends ViOptions implements Callable<Integer> {
  @Override
  public Integer call() throws Exception {
    return run("stream");
  }

  @Override
  Map<String, Object> ask(ViWork exchange) throws IOException {
    return exchange.askStream();
  }

  @Override
  void answer(ViWork exchange) throws IOException {
    exchange.answerStream();
  }

  @Override
  String line(Map<String, Object> figures) {
    return String.format(
        Locale.ROOT,
        "%,.1f MB/s, %,d messages/s (%,d messages)",
        number(figures, "mb_per_s"),
        Math.round(number(figures, "messages_per_s")),
        count);
  }

  @Override
  int defaultCount() {
    return 100_000;
  }
}
