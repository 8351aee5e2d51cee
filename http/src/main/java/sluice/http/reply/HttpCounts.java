package sluice.http.reply;

import sluice.http.metrics.LatencyHistogram;
import sluice.loop.counters.CounterPublisher;

/// The counters of HTTP on one loop. Plain fields, written by the loop's thread; the publisher
/// reads them on its own thread.
public final class HttpCounts {
  /// Replies by the first digit of their status.
  public final long[] replies = new long[6];

  /// Requests for files answered from cached replies (`hits`), and those that had to be looked up
  /// (`misses`).
  public long hits;

  public long misses;

  /// Requests answered by interruptlets (`interruptlets`), and passed to slow handlers (`slow`).
  public long interruptlets;

  public long slow;

  public long bodyBytes;

  /// Requests and connections refused because their address exceeded its limits.
  public long limitedRequests;

  public long limitedConnections;

  /// Headers of proxies with or without the client's address (`proxyHeaders`), and malformed ones
  /// (`proxyFailures`).
  public long proxyHeaders;

  public long proxyFailures;

  /// The times that requests took.
  public final LatencyHistogram times = new LatencyHistogram();

  public void publishTo(CounterPublisher into, String source) {
    into.counter(source + "/requests", this::requests);
    into.counter(source + "/hits", () -> hits);
    into.counter(source + "/misses", () -> misses);
    into.counter(source + "/interruptlet_replies", () -> interruptlets);
    into.counter(source + "/slow_requests", () -> slow);
    into.counter(source + "/body_bytes", () -> bodyBytes);
    for (int i = 2; i < replies.length; i++) {
      int digit = i;
      into.counter(source + "/replies_" + i + "xx", () -> replies[digit]);
    }
  }

  /// Returns the number of replies begun.
  public long requests() {
    long sum = 0;
    for (long each : replies) {
      sum += each;
    }
    return sum;
  }
}
