/// The metrics for a scraper: times of requests ([LatencyHistogram]), the process
/// ([ProcessMetrics]), and all counters as text ([MetricsText]).
@org.jspecify.annotations.NullMarked
package sluice.http.metrics;
