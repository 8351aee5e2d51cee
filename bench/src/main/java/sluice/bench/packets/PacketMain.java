package sluice.bench.packets;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/// The process at one end. Commands on standard input, one a line: `pid`; at the server `echo
/// SYSTEM` and `end`; at the client `measure SYSTEM BYTES WINDOW MILLIS`.
final class PacketMain {
  private @Nullable Thread echoing;
  private volatile boolean ended;

  private PacketMain() {}

  public static void main(String[] arguments) throws Exception {
    PrintStream answers = System.out;
    System.setOut(System.err);
    PacketMain end = new PacketMain();
    answers.println("ready");
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        answers.println(end.answer(line.split(" ", -1)));
      }
    }
    System.exit(0);
  }

  private String answer(String[] words) {
    try {
      return switch (words[0]) {
        case "pid" -> "ok " + ProcessHandle.current().pid();
        case "echo" -> echo(words[1]);
        case "end" -> end();
        case "measure" -> measure(words);
        default -> "error no command " + words[0];
      };
    } catch (Exception e) {
      return ("error " + e).replace('\n', ' ');
    }
  }

  private String echo(String system) throws Exception {
    ended = false;
    PacketEnd end = PacketEnd.open(system, false);
    CountDownLatch started = new CountDownLatch(1);
    echoing =
        Thread.ofPlatform()
            .daemon()
            .start(() -> {
              try (end) {
                started.countDown();
                end.echo(() -> ended);
              } catch (IOException e) {
                System.err.println(e);
              }
            });
    started.await();
    return "ok echoing";
  }

  private String end() throws InterruptedException {
    ended = true;
    if (echoing != null) {
      echoing.join();
    }
    return "ok ended";
  }

  private static String measure(String[] words) throws IOException {
    int bytes = Integer.parseInt(words[2]);
    int window = Integer.parseInt(words[3]);
    long nanos = Long.parseLong(words[4]) * 1_000_000;
    RoundTrips trips = new RoundTrips();
    try (PacketEnd end = PacketEnd.open(words[1], true)) {
      long _ = end.exchange(bytes, window, nanos / 4, new RoundTrips());
      long start = System.nanoTime();
      long came = end.exchange(bytes, window, nanos, trips);
      double seconds = (System.nanoTime() - start) / 1e9;
      return window == 1
          ? "ok p50_us=" + trips.percentile(50) + " p99_us=" + trips.percentile(99)
          : "ok ns_per_record=" + seconds * 1e9 / Math.max(1, came);
    }
  }
}
