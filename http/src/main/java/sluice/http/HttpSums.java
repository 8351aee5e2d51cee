package sluice.http;

import java.util.List;
import java.util.function.ToLongFunction;
import sluice.http.metrics.LatencyHistogram;
import sluice.http.reply.HttpCounts;
import sluice.loop.LoopCounters;
import sluice.loop.counters.CounterPublisher;

/// The counters of a server, summed over all its loops. A counters file does not have enough space
/// to store these counters for each loop. Any thread may call.
final class HttpSums {
  private final List<HttpProtocol> protocols;

  HttpSums(List<HttpProtocol> protocols) {
    this.protocols = protocols;
  }

  void publishTo(CounterPublisher into) {
    into.counter("clients/requests_over_limit", () -> sum(each -> each.limitedRequests));
    into.counter("clients/connections_over_limit", () -> sum(each -> each.limitedConnections));
    into.counter("clients/proxy_headers", () -> sum(each -> each.proxyHeaders));
    into.counter("clients/proxy_failures", () -> sum(each -> each.proxyFailures));
    for (int i = 0; i < LatencyHistogram.bounds(); i++) {
      int index = i;
      into.counter(
          "http/request_time_up_to_" + LatencyHistogram.boundMicros(i) + "_us",
          () -> sum(each -> each.times.countBelow(index)));
    }
    into.counter("http/request_time_sum_us", () -> sum(each -> each.times.sumMicros()));
    // Published after the intervals so that the count is never less than their sum.
    into.counter(
        "http/request_time_count",
        () -> sum(each -> each.times.countBelow(LatencyHistogram.bounds())));
  }

  void publishTlsTo(CounterPublisher into) {
    into.counter("tls/handshakes", () -> sumOfLoops(each -> each.tlsHandshakes()));
    into.counter("tls/handshake_failures", () -> sumOfLoops(each -> each.tlsFailures()));
  }

  private long sumOfLoops(ToLongFunction<LoopCounters> one) {
    long sum = 0;
    for (HttpProtocol each : protocols) {
      sum += one.applyAsLong(each.loop().counters());
    }
    return sum;
  }

  private long sum(ToLongFunction<HttpCounts> one) {
    long sum = 0;
    for (HttpProtocol each : protocols) {
      sum += one.applyAsLong(each.counts());
    }
    return sum;
  }
}
