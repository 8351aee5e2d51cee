package sluice.nfs.rpc;

import sluice.loop.counters.CounterPublisher;

/// The RPC counters of one loop. The loop's thread writes them as plain fields, and other threads,
/// such as the [CounterPublisher], may read slightly outdated values.
final class RpcCounters {
  /// The number of calls that were answered on the loop's thread.
  long answered;

  /// The number of calls that were passed to workers.
  long passed;

  /// The number of calls that workers have completed.
  long worked;

  long connections;
  long refusedConnections;
  long datagrams;
  long datagramsDropped;

  /// The number of messages that arrived in several segments.
  long assembled;

  /// The number of times that a connection was suspended because too many calls were being
  /// processed by workers.
  long heldForCalls;

  /// The number of times that a connection was suspended because the memory for messages was
  /// exhausted.
  long heldForMemory;

  /// The number of times that a connection was suspended because its client had not received its
  /// replies.
  long heldForLeases;

  /// The number of connections that were closed because of malformed or oversized messages.
  long malformed;

  /// The number of connections that were closed because a message was not completed in time.
  long unfinished;

  /// Publishes the counters.
  ///
  /// @param source the prefix of each label, before the slash
  void publishTo(CounterPublisher into, String source) {
    into.counter(source + "/calls_answered_at_once", () -> answered);
    into.counter(source + "/calls_passed", () -> passed);
    into.gauge(source + "/calls_with_workers", () -> passed - worked);
    into.counter(source + "/rpc_connections", () -> connections);
    into.counter(source + "/rpc_refused_connections", () -> refusedConnections);
    into.counter(source + "/datagrams", () -> datagrams);
    into.counter(source + "/datagrams_dropped", () -> datagramsDropped);
    into.counter(source + "/messages_assembled", () -> assembled);
    into.counter(source + "/held_for_calls", () -> heldForCalls);
    into.counter(source + "/held_for_memory", () -> heldForMemory);
    into.counter(source + "/held_for_leases", () -> heldForLeases);
    into.counter(source + "/malformed", () -> malformed);
    into.counter(source + "/unfinished_messages", () -> unfinished);
  }
}
