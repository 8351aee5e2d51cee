package sluice.bench.packets;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import sluice.bench.run.CpuTimes;

/// The process at one end. Commands on standard input, one per line: at the server `echo SYSTEM
/// WAY` and `end`; at the client `measure SYSTEM WAY BYTES WINDOW MILLIS`, where the way is `spin`
/// or `wait`; and `sum SYSTEM BYTES MILLIS`, for which no packet moves.
final class PacketMain {
  private final RoundTrips trips = new RoundTrips();
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
        case "echo" -> echo(words[1], words[2].equals("wait"));
        case "end" -> end();
        case "measure" -> measure(words);
        case "sum" -> sum(words);
        default -> "error no command " + words[0];
      };
    } catch (Exception e) {
      return ("error " + e).replace('\n', ' ');
    }
  }

  private String echo(String system, boolean waits) throws Exception {
    ended = false;
    PacketEnd end = PacketEnd.open(system, false, waits);
    CountDownLatch started = new CountDownLatch(1);
    echoing =
        Thread.ofPlatform()
            .daemon()
            .start(() -> {
              try (end) {
                started.countDown();
                end.echo(() -> ended);
              } catch (IOException | RuntimeException e) {
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

  private String measure(String[] words) throws IOException {
    int bytes = Integer.parseInt(words[3]);
    int window = Integer.parseInt(words[4]);
    long nanos = millis(words[5]);
    try (PacketEnd end = PacketEnd.open(words[1], true, words[2].equals("wait"))) {
      long _ = end.exchange(bytes, window, nanos / 4, trips);
      trips.clear();
      long busy = CpuTimes.machineBusyNanos();
      long start = System.nanoTime();
      long came = end.exchange(bytes, window, nanos, trips);
      long took = System.nanoTime() - start;
      busy = CpuTimes.machineBusyNanos() - busy;
      if (came == 0) {
        return "error nothing came back";
      }
      String rate = "ok rps=" + came * 1e9 / took + " machine_ns_per_req=" + (double) busy / came;
      return rate
          + (window == 1
              ? " p50_us=" + trips.percentile(50) + " p99_us=" + trips.percentile(99)
              : " ns_per_record=" + (double) took / came);
    }
  }

  private static String sum(String[] words) {
    int bytes = Integer.parseInt(words[2]);
    double nanos = new ChecksumLoop(words[1], bytes).nanosEach(millis(words[3]));
    return "ok ns_per_call=" + nanos + " mb_per_s=" + bytes * 1e3 / nanos;
  }

  private static long millis(String word) {
    return Long.parseLong(word) * 1_000_000;
  }
}
