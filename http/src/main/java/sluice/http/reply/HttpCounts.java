package sluice.http.reply;

import sluice.http.metrics.LatencyHistogram;
import sluice.loop.counters.CounterPublisher;

/// What the HTTP protocol of one loop counts. Plain fields, written by the loop's thread; the
/// publisher reads them from its own.
public final class HttpCounts {
  /// Replies by the first digit of their status.
  public final long[] replies = new long[6];

  /// Files answered from ready replies, and those that had to be looked for.
  public long hits;

  public long misses;

  /// Requests answered by interruptlets, and handed to slow handlers.
  public long interruptlets;

  public long slow;

  public long bodyBytes;

  /// Requests and connections refused because their address had too many.
  public long limitedRequests;

  public long limitedConnections;

  /// Prefaces of proxies that told the client's address, or none; and those that were malformed.
  public long proxyHeaders;

  public long proxyFailures;

  /// How long requests took.
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

  /// Replies begun.
  public long requests() {
    long sum = 0;
    for (long each : replies) {
      sum += each;
    }
    return sum;
  }
}
