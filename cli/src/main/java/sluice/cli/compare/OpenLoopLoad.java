package sluice.cli.compare;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import sluice.host.file.UsageException;

/// Sends requests at a fixed rate, even if the server cannot process them at this rate. Each
/// request has an intended time, and its latency is measured from this time. Each connection uses
/// its own thread.
///
/// @param urls the URLs, which are requested in turn
/// @param rate the number of requests per second
/// @param connections the maximum number of concurrent requests
public record OpenLoopLoad(List<URI> urls, int rate, int connections) {
  /// Reads a list of URLs, one per line. Empty lines and lines that begin with `#` are ignored.
  ///
  /// @throws UsageException if a line is not an http URL, or if there are no URLs
  public static OpenLoopLoad read(Path file, int rate, int connections)
      throws IOException, UsageException {
    List<URI> urls = new ArrayList<>();
    for (String line : Files.readAllLines(file)) {
      String text = line.strip();
      if (text.isEmpty() || text.startsWith("#")) {
        continue;
      }
      try {
        URI url = new URI(text);
        if (!"http".equals(url.getScheme()) || url.getHost() == null) {
          throw new UsageException(
              file + ": " + text + " is no http URL. For other protocols use --load-command.");
        }
        urls.add(url);
      } catch (java.net.URISyntaxException e) {
        throw new UsageException(file + ": " + e.getMessage());
      }
    }
    if (urls.isEmpty()) {
      throw new UsageException(file + " lists no URL.");
    }
    return new OpenLoopLoad(urls, rate, connections);
  }

  /// Sends requests for a number of seconds and waits for the responses.
  LoadSource.Outcome run(double seconds) throws InterruptedException {
    long[] latencies = new long[(int) Math.max(1, rate * seconds)];
    List<byte[]> requests = urls.stream().map(LoadConnection::request).toList();
    AtomicInteger next = new AtomicInteger();
    AtomicLong failed = new AtomicLong();
    ResponseLog answers = new ResponseLog(urls);
    long start = System.nanoTime();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < connections; i++) {
      Runnable work = () -> new Worker(requests, next, failed, answers, latencies, start).send();
      threads.add(Thread.ofPlatform().name("sluice-load-" + i).start(work));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    long[] answered = Arrays.stream(latencies).filter(nanos -> nanos > 0).sorted().toArray();
    return new LoadSource.Outcome(
        answered.length,
        failed.get(),
        percentileMicros(answered, 0.5),
        percentileMicros(answered, 0.99),
        percentileMicros(answered, 0.999),
        answers.byUrl());
  }

  /// Returns a percentile in microseconds.
  ///
  /// @param sorted the latencies in nanoseconds, in ascending order
  /// @return the percentile, or NaN if there are no latencies
  static double percentileMicros(long[] sorted, double fraction) {
    if (sorted.length == 0) {
      return Double.NaN;
    }
    int index = (int) Math.ceil(fraction * sorted.length) - 1;
    return sorted[Math.max(index, 0)] / 1000.0;
  }

  /// The work of one thread, which repeatedly acquires the next request and sends it at its
  /// intended time.
  private final class Worker {
    private final List<byte[]> requests;
    private final AtomicInteger next;
    private final AtomicLong failed;
    private final ResponseLog answers;
    private final long[] latencies;
    private final long start;
    private final LoadConnection[] open;

    Worker(
        List<byte[]> requests,
        AtomicInteger next,
        AtomicLong failed,
        ResponseLog answers,
        long[] latencies,
        long start) {
      this.requests = requests;
      this.next = next;
      this.failed = failed;
      this.answers = answers;
      this.latencies = latencies;
      this.start = start;
      this.open = new LoadConnection[requests.size()];
    }

    void send() {
      for (int i; (i = next.getAndIncrement()) < latencies.length; ) {
        long meant = start + (long) (i * 1e9 / rate);
        for (long wait; (wait = meant - System.nanoTime()) > 0; ) {
          LockSupport.parkNanos(wait);
        }
        try {
          if (ask(i % requests.size()) >= 400) {
            failed.getAndIncrement();
          } else {
            latencies[i] = System.nanoTime() - meant;
          }
        } catch (IOException | RuntimeException e) {
          failed.getAndIncrement();
        }
      }
      for (LoadConnection connection : open) {
        close(connection);
      }
    }

    private int ask(int page) throws IOException {
      int slot = slot(page);
      LoadConnection connection = open[slot];
      if (connection == null) {
        connection = new LoadConnection(urls.get(page));
        open[slot] = connection;
      }
      boolean done = false;
      try {
        ResponseLog.Answer answer = connection.ask(requests.get(page));
        done = connection.isReusable();
        answers.note(page, answer);
        return answer.status();
      } finally {
        if (!done) {
          open[slot] = null;
          close(connection);
        }
      }
    }

    /// Returns the slot of the connection for a page. All pages of the same server use the slot of
    /// the first page.
    private int slot(int page) {
      String server = urls.get(page).getRawAuthority();
      for (int i = 0; i < page; i++) {
        if (urls.get(i).getRawAuthority().equals(server)) {
          return i;
        }
      }
      return page;
    }

    private static void close(LoadConnection connection) {
      try {
        if (connection != null) {
          connection.close();
        }
      } catch (IOException e) {
        assert e != null; // the connection is no longer used
      }
    }
  }
}
