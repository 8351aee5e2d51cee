package sluice.bench.vi;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.vi.Nic;
import sluice.vi.Vi;
import sluice.vi.ViAttributes;
import sluice.vi.ViBuffer;
import sluice.vi.ViBufferAttributes;
import sluice.vi.ViServer;
import sluice.vi.WaitMode;

/// The process of one end of a system; `c_vi.c` is its counterpart in C. Runs on the main thread,
/// one command per line on standard input until its end. Arguments: `server` or `client`, SYSTEM,
/// PLACE.
final class ViMain {
  private static final int BATCH = 32;
  private static final int MOST_BATCHES = 1 << 20;
  private static final int TAG = 1;
  private static final int ACK_BYTES = 4;
  private static final byte MORE = 0;
  private static final byte LAST = 1;
  private static final ViAttributes ATTRIBUTES =
      ViAttributes.DEFAULT
          .withDepths(2 * ViEnd.WINDOW, 2 * ViEnd.WINDOW)
          .withTransferBytes(ViCase.MOST_BYTES)
          .withConnectMicros((int) TimeUnit.SECONDS.toMicros(60));

  private static final double[] BATCHES = new double[MOST_BATCHES];

  private final boolean server;
  private final PrintStream answers;
  private final @Nullable ViEnd end;
  private final @Nullable Vi vi;

  private ViMain(boolean server, PrintStream answers, @Nullable ViEnd end, @Nullable Vi vi) {
    this.server = server;
    this.answers = answers;
    this.end = end;
    this.vi = vi;
  }

  public static void main(String[] arguments) throws Exception {
    PrintStream answers = System.out;
    System.setOut(System.err); // output of libraries is not an answer
    boolean server = arguments[0].equals("server");
    String system = arguments[1];
    String place = arguments[2];
    if (system.startsWith(ViCase.AERON)) {
      try (ViEnd end = new AeronEnd(server, system.equals(ViCase.AERON_UDP), place)) {
        answers.println("ready");
        new ViMain(server, answers, end, null).obey();
      }
    } else if (system.equals(ViCase.COPY)) {
      answers.println("ready");
      new ViMain(false, answers, null, null).obey();
    } else {
      converse(server, system, place, answers);
    }
  }

  private static void converse(boolean server, String system, String place, PrintStream answers)
      throws Exception {
    String device = system.substring(system.indexOf('/') + 1).split(" ", -1)[0];
    WaitMode mode =
        system.endsWith(ViCase.HYBRID)
            ? WaitMode.HYBRID
            : system.endsWith(ViCase.PARK)
                    || system.startsWith(ViCase.RING)
                    || system.equals(ViCase.XDP)
                ? WaitMode.PARK // the device has a thread of its own, on the same processor
                : WaitMode.SPIN;
    ViAttributes attributes = ATTRIBUTES.withWaiting(mode);
    try (Nic nic = Nic.open(device);
        Vi vi = connect(server, nic, place, attributes, answers);
        ViEnd end =
            system.endsWith(ViCase.LEVEL_ONE)
                ? new ViLevelOne(vi)
                : new ViLevelTwo(vi, system.endsWith(ViCase.PINNED))) {
      if (!server) {
        answers.println("ready");
      }
      new ViMain(server, answers, end, vi).obey();
    }
  }

  private static Vi connect(
      boolean server, Nic nic, String place, ViAttributes attributes, PrintStream answers)
      throws Exception {
    if (!server) {
      return new Vi(nic.address(place), attributes, null, null, TAG);
    }
    try (ViServer listening = new ViServer(nic.address(place), TAG)) {
      answers.println("ready");
      return listening.accept(attributes, Vi.INFINITE);
    }
  }

  private void obey() throws Exception {
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String[] words = line.split(" ", -1);
        answers.println(
            obey(words[0], Integer.parseInt(words[1]), Long.parseLong(words[2]) * 1_000_000));
      }
    }
  }

  private String obey(String kind, int bytes, long nanos) throws Exception {
    if (end == null) {
      return copy(bytes, nanos);
    }
    return switch (kind) {
      case ViCase.ROUND_TRIP ->
          server ? answerRoundTrips(end, bytes) : askRoundTrips(end, bytes, nanos);
      case ViCase.STREAM -> server ? answerStream(end, bytes) : askStream(end, bytes, nanos);
      default -> server ? "ok served=1" : register(bytes, nanos);
    };
  }

  // ---- exchanges -----------------------------------------------------------------------------

  private static void take(ViEnd end) throws Exception {
    byte _ = end.receive();
    end.done();
  }

  private static String askRoundTrips(ViEnd end, int bytes, long nanos) throws Exception {
    int count = 0;
    long begin = System.nanoTime();
    long before = begin;
    while (before - begin < nanos && count < MOST_BATCHES) {
      for (int i = 0; i < BATCH; i++) {
        end.send(bytes, MORE);
        take(end);
      }
      long after = System.nanoTime();
      BATCHES[count++] = (double) (after - before) / BATCH;
      before = after;
    }
    end.send(bytes, LAST);
    take(end);
    end.send(ACK_BYTES, LAST);
    return answer(count, bytes);
  }

  /// Answers round trips, and waits for one more message after the last answer: on some systems a
  /// long message moves only while its sender polls.
  private static String answerRoundTrips(ViEnd end, int bytes) throws Exception {
    byte mark;
    do {
      mark = end.receive();
      end.send(bytes, mark);
      end.done();
    } while (mark != LAST);
    take(end);
    return "ok served=1";
  }

  /// Returns the number of messages between two answers of a stream.
  private static int group(int bytes) {
    return bytes >= 256 << 10 ? 8 : 64;
  }

  /// Sends a stream with two groups under way, so that it has no gaps.
  private static String askStream(ViEnd end, int bytes, long nanos) throws Exception {
    int many = group(bytes);
    int count = 0;
    int waiting = 0;
    long begin = System.nanoTime();
    long before = 0;
    while ((before == 0 || before - begin < nanos) && count < MOST_BATCHES) {
      for (int i = 0; i < many; i++) {
        end.send(bytes, MORE);
      }
      waiting++;
      if (waiting == 2) {
        take(end);
        waiting--;
        long after = System.nanoTime();
        if (before != 0) {
          BATCHES[count++] = (double) (after - before) / many;
        }
        before = after;
      }
    }
    end.send(bytes, LAST);
    for (; waiting >= 0; waiting--) {
      take(end);
    }
    return answer(count, bytes);
  }

  private static String answerStream(ViEnd end, int bytes) throws Exception {
    int many = group(bytes);
    int count = 0;
    byte mark;
    do {
      mark = end.receive();
      end.done();
      count++;
      if (mark == LAST || count % many == 0) {
        end.send(ACK_BYTES, MORE);
      }
    } while (mark != LAST);
    return "ok served=1";
  }

  // ---- registration --------------------------------------------------------------------------

  private String register(int bytes, long nanos) throws Exception {
    Vi connected = vi;
    if (connected == null) {
      throw new IllegalStateException("no VI");
    }
    int count = 0;
    try (ViBuffer buffer = new ViBuffer(bytes)) {
      long begin = System.nanoTime();
      long before = begin;
      while (before - begin < nanos && count < MOST_BATCHES) {
        for (int i = 0; i < BATCH; i++) {
          buffer.unregister(buffer.register(connected, ViBufferAttributes.READ_WRITE));
        }
        long after = System.nanoTime();
        BATCHES[count++] = (double) (after - before) / BATCH;
        before = after;
      }
    }
    return answer(count, 0);
  }

  /// Copies an array into a registered buffer, as Level I does instead of registering.
  private static String copy(int bytes, long nanos) {
    int count = 0;
    byte[] array = new byte[bytes];
    try (ViBuffer buffer = new ViBuffer(bytes)) {
      long begin = System.nanoTime();
      long before = begin;
      while (before - begin < nanos && count < MOST_BATCHES) {
        for (int i = 0; i < BATCH; i++) {
          buffer.bytes().copyFrom(array, 0, 0, bytes);
        }
        long after = System.nanoTime();
        BATCHES[count++] = (double) (after - before) / BATCH;
        before = after;
      }
    }
    return answer(count, 0);
  }

  private static String answer(int count, int bytes) {
    Arrays.sort(BATCHES, 0, count);
    double median = BATCHES[count / 2];
    String answer = "ok ns_per_call=" + median;
    return bytes == 0
        ? answer
        : answer + String.format(Locale.ROOT, " mb_per_s=%.3f", bytes * 1e3 / median);
  }
}
