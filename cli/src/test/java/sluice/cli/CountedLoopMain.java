package sluice.cli;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import sluice.loop.Loop;
import sluice.loop.Protocol;
import sluice.loop.engine.Backend;
import sluice.loop.server.Server;
import sluice.loop.server.ServerConfig;
import sluice.testbase.Await;

/// A server with two loops; a handler on one of them runs a counted loop. Prints how often, while
/// the loop ran, all threads reached a safepoint and the other loop answered, and the longest of
/// these times in microseconds.
final class CountedLoopMain {
  private static final long LOOP_NANOS = TimeUnit.MILLISECONDS.toNanos(700);

  private static volatile boolean running;
  private static volatile boolean ended;
  private static int turns = 1 << 20;

  private CountedLoopMain() {}

  public static void main(String[] args) throws Exception {
    calibrate();
    ServerConfig config =
        ServerConfig.onLoopback("counted", 0).withBackend(Backend.EPOLL).withLoops(2);
    try (Server server = Server.start(config, CountedLoopMain::protocol)) {
      List<Socket> clients = new ArrayList<>();
      Socket busy = dial(server, clients);
      int loop = ask(busy, 'e');
      Socket other = dial(server, clients);
      while (ask(other, 'e') == loop) {
        other = dial(server, clients);
      }
      busy.getOutputStream().write('l');
      Await.until("the counted loop", () -> running);
      int rounds = 0;
      long longest = 0;
      while (!ended) {
        long start = System.nanoTime();
        int threads = Thread.getAllStackTraces().size();
        int answer = ask(other, 'e');
        longest = Math.max(longest, System.nanoTime() - start);
        rounds += !ended && threads > 0 && answer != loop ? 1 : 0;
        Thread.sleep(5);
      }
      System.out.println(rounds + " " + TimeUnit.NANOSECONDS.toMicros(longest));
      for (Socket client : clients) {
        client.close();
      }
    }
  }

  private static Protocol protocol(Loop loop) {
    byte number = (byte) System.identityHashCode(loop);
    return (connection, input) -> {
      if (input.get(0) == 'l') {
        running = true;
        turns += count(turns) == 0 ? 1 : 0; // uses the result, so that the compiler keeps the loop
        ended = true;
      }
      connection.output().put(new byte[] {number});
      return input.length();
    };
  }

  private static Socket dial(Server server, List<Socket> clients) throws IOException {
    Socket client = new Socket(InetAddress.getLoopbackAddress(), server.port());
    client.setSoTimeout(60_000);
    client.setTcpNoDelay(true);
    clients.add(client);
    return client;
  }

  private static int ask(Socket client, int what) throws IOException {
    client.getOutputStream().write(what);
    return client.getInputStream().read();
  }

  /// Finds the number of turns that last long enough, after the loop has been compiled.
  private static void calibrate() {
    for (int i = 0; i < 20_000; i++) {
      turns += count(1_000) == 0 ? 1 : 0;
    }
    long took = 0;
    while (took < LOOP_NANOS && turns < Integer.MAX_VALUE / 2) {
      turns *= 2;
      long start = System.nanoTime();
      turns += count(turns) == 0 ? 1 : 0;
      took = System.nanoTime() - start;
    }
  }

  private static int count(int n) {
    int x = 1;
    for (int i = 0; i < n; i++) {
      x = x * 31 + (i ^ (x >>> 3));
    }
    return x;
  }
}
