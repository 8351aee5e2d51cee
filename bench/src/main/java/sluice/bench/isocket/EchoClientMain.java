package sluice.bench.isocket;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// The client process of `bench isocket`, the same for all servers: one non-blocking connection, on
/// a core of its own, which it keeps busy. Commands on standard input: `trip HOST PORT BYTES
/// MILLIS` and `stream HOST PORT BYTES MILLIS`. A warm-up of a quarter of that time precedes the
/// measured time.
final class EchoClientMain {
  /// The greatest number of bytes of a stream that have not come back yet; at least one message.
  private static final int WINDOW_BYTES = 256 << 10;

  private static final int MOST_MESSAGES = 16;

  /// The time after which a server without an answer ends the round.
  private static final long SILENCE_NANOS = 10_000_000_000L;

  private final SocketChannel channel;
  private final ByteBuffer out;
  private final ByteBuffer in;
  private final int bytes;
  private long[] nanos = new long[1 << 12];
  private int count;

  private EchoClientMain(SocketChannel channel, int bytes) {
    this.channel = channel;
    this.bytes = bytes;
    out = ByteBuffer.allocateDirect(bytes);
    in = ByteBuffer.allocateDirect(bytes);
    for (int i = 0; i < bytes; i++) {
      out.put(i, (byte) (i * 31 + 7));
    }
  }

  public static void main(String[] arguments) throws IOException {
    PrintStream answers = System.out;
    System.setOut(System.err);
    answers.println("ready");
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      answers.println(answer(line.split(" ", -1)));
    }
    System.exit(0);
  }

  private static String answer(String[] words) {
    InetSocketAddress at = new InetSocketAddress(words[1], Integer.parseInt(words[2]));
    try (SocketChannel channel = SocketChannel.open(at)) {
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channel.configureBlocking(false);
      EchoClientMain client = new EchoClientMain(channel, Integer.parseInt(words[3]));
      long window = Long.parseLong(words[4]) * 1_000_000;
      return words[0].equals("trip") ? client.trips(window) : client.stream(window);
    } catch (IOException | RuntimeException e) {
      return ("error " + e).replace('\n', ' ');
    }
  }

  // ---- round trips ------------------------------------------------------------------------------

  private String trips(long window) throws IOException {
    long warm = 0;
    for (long end = System.nanoTime() + window / 4; System.nanoTime() < end; warm++) {
      long _ = trip();
    }
    for (long end = System.nanoTime() + window; System.nanoTime() < end || count == 0; ) {
      if (count == nanos.length) {
        nanos = Arrays.copyOf(nanos, 2 * count);
      }
      nanos[count] = trip();
      count++;
    }
    Arrays.sort(nanos, 0, count);
    return "ok p50_us=%s p99_us=%s samples=%d messages=%d"
        .formatted(percentile(50), percentile(99), count, warm + count);
  }

  private double percentile(int percent) {
    return nanos[(int) ((count - 1) * (long) percent / 100)] / 1e3;
  }

  private long trip() throws IOException {
    long start = System.nanoTime();
    out.clear();
    in.clear();
    while (in.hasRemaining()) {
      if (out.hasRemaining()) {
        int _ = channel.write(out);
      }
      read(start);
    }
    long took = System.nanoTime() - start;
    int at = out.rewind().mismatch(in.rewind());
    if (at >= 0) {
      throw new IOException("another byte came back at " + at);
    }
    return took;
  }

  private void read(long since) throws IOException {
    int n = channel.read(in);
    if (n < 0) {
      throw new IOException("the server has closed");
    }
    if (n == 0) {
      Thread.onSpinWait();
      if (System.nanoTime() - since > SILENCE_NANOS) {
        throw new IOException("no answer for 10 s");
      }
    }
  }

  // ---- streams ----------------------------------------------------------------------------------

  private String stream(long window) throws IOException {
    long start = System.nanoTime() + window / 4;
    long came = flow(start, 0);
    long warm = came;
    long begun = System.nanoTime();
    came = flow(begun + window, came) - came;
    double seconds = (System.nanoTime() - begun) / 1e9;
    long _ = drain();
    return "ok mb_per_s=%s samples=%d messages=%d"
        .formatted(came / seconds / 1e6, came / bytes, Math.max(1, (warm + came) / bytes));
  }

  private long sent;
  private long received;

  /// Runs the stream until a time.
  ///
  /// @return all bytes that have come back
  private long flow(long until, long before) throws IOException {
    long most = Math.max(bytes, Math.min(WINDOW_BYTES, MOST_MESSAGES * (long) bytes));
    long last = System.nanoTime();
    for (long now = last; now < until || received == before; now = System.nanoTime()) {
      if (sent - received < most) {
        send((int) Math.min(bytes, most - (sent - received)));
      }
      long had = received;
      receive(last);
      if (received > had) {
        last = now;
      }
    }
    return received;
  }

  /// Sends the next part of the stream, which repeats the message; a part of it goes in one write.
  private void send(int room) throws IOException {
    int at = (int) (sent % bytes);
    out.limit(Math.min(bytes, at + room)).position(at);
    sent += channel.write(out);
  }

  private void receive(long since) throws IOException {
    in.clear();
    read(since);
    int n = in.position();
    if (n > 0) {
      int at = (int) (received % bytes);
      if (in.get(0) != (byte) (at * 31 + 7)) {
        throw new IOException("another byte came back in the stream");
      }
      received += n;
    }
  }

  private long drain() throws IOException {
    long last = System.nanoTime();
    while (received < sent) {
      receive(last);
    }
    return received;
  }
}
