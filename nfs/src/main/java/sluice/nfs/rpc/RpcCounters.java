package sluice.nfs.rpc;

import sluice.loop.counters.CounterPublisher;

/// What one loop counts of RPC. Plain fields, written by the loop's thread; other threads read them
/// as hints, as the [CounterPublisher] does.
final class RpcCounters {
  /// Calls that were answered where they landed.
  long answered;

  /// Calls that went to workers.
  long passed;

  /// Calls, among them, whose workers have answered.
  long worked;

  long connections;
  long refusedConnections;
  long datagrams;
  long datagramsDropped;

  /// Messages that came in several pieces.
  long assembled;

  /// Times that a connection was held because enough calls were with workers.
  long heldForCalls;

  /// Times that a connection was held because memory for messages had run out.
  long heldForMemory;

  /// Times that a connection was held because its client had not taken what it was sent.
  long heldForLeases;

  /// Connections that were ended because they sent what is no call, or too long.
  long malformed;

  /// Connections that were ended because they did not finish a message in time.
  long unfinished;

  /// Shows the numbers in a counters file from now on.
  ///
  /// @param source goes before the slash of each label
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
