package sluice.loop;

import sluice.loop.counters.CounterPublisher;

/// The counters of a loop. They are plain fields written by the loop's thread. Other threads, such
/// as that of the [CounterPublisher], read them as hints.
public final class LoopCounters {
  long turns;
  long completions;
  long accepted;
  long closed;
  long refusedConnections;
  long acceptErrors;
  long descriptorRefusals;
  long idleEvictions;
  long receives;
  long receivedBytes;
  long directReceives;
  long sends;
  long sentBytes;
  long shortSends;
  long fileBytes;
  long starvedReceives;
  long receivePauses;
  long oversizeMessages;
  long overBudgetConnections;
  long writeTimeouts;
  long outputWaits;
  long cutReplies;
  long handlerFailures;
  long taskFailures;
  long deferred;
  long retainedByLease;
  long retainedByCopy;
  long retainsRefused;
  long chunksCopiedOut;
  long tlsHandshakes;
  long tlsFailures;

  /// Publishes the counters in a counters file from now on. Any thread may call.
  ///
  /// @param source the part of each label before the slash
  void publishTo(CounterPublisher into, String source) {
    into.counter(source + "/turns", () -> turns);
    into.counter(source + "/completions", () -> completions);
    into.counter(source + "/accepted", () -> accepted);
    into.counter(source + "/closed", () -> closed);
    into.counter(source + "/refused_connections", () -> refusedConnections);
    into.counter(source + "/accept_errors", () -> acceptErrors);
    into.counter(source + "/descriptor_refusals", () -> descriptorRefusals);
    into.counter(source + "/idle_evictions", () -> idleEvictions);
    into.counter(source + "/receives", () -> receives);
    into.counter(source + "/received_bytes", () -> receivedBytes);
    into.counter(source + "/direct_receives", () -> directReceives);
    into.counter(source + "/sends", () -> sends);
    into.counter(source + "/sent_bytes", () -> sentBytes);
    into.counter(source + "/short_sends", () -> shortSends);
    into.counter(source + "/file_bytes", () -> fileBytes);
    into.counter(source + "/starved_receives", () -> starvedReceives);
    into.counter(source + "/receive_pauses", () -> receivePauses);
    into.counter(source + "/oversize_messages", () -> oversizeMessages);
    into.counter(source + "/over_budget_connections", () -> overBudgetConnections);
    into.counter(source + "/write_timeouts", () -> writeTimeouts);
    into.counter(source + "/output_waits", () -> outputWaits);
    into.counter(source + "/cut_replies", () -> cutReplies);
    into.counter(source + "/handler_failures", () -> handlerFailures);
    into.counter(source + "/task_failures", () -> taskFailures);
    into.counter(source + "/deferred", () -> deferred);
    into.counter(source + "/retained_by_lease", () -> retainedByLease);
    into.counter(source + "/retained_by_copy", () -> retainedByCopy);
    into.counter(source + "/retains_refused", () -> retainsRefused);
    into.counter(source + "/chunks_copied_out", () -> chunksCopiedOut);
  }

  public long turns() {
    return turns;
  }

  public long accepted() {
    return accepted;
  }

  public long closed() {
    return closed;
  }

  public long receives() {
    return receives;
  }

  public long receivedBytes() {
    return receivedBytes;
  }

  /// Returns the number of receives in which a protocol received bytes into its own memory, see
  /// [Connection#receiveInto].
  public long directReceives() {
    return directReceives;
  }

  public long sentBytes() {
    return sentBytes;
  }

  /// Returns the number of file bytes accepted by the kernel.
  public long fileBytes() {
    return fileBytes;
  }

  public long shortSends() {
    return shortSends;
  }

  public long starvedReceives() {
    return starvedReceives;
  }

  public long receivePauses() {
    return receivePauses;
  }

  public long handlerFailures() {
    return handlerFailures;
  }

  public long taskFailures() {
    return taskFailures;
  }

  public long refusedConnections() {
    return refusedConnections;
  }

  /// Returns the number of connections that were refused because no descriptors were left.
  public long descriptorRefusals() {
    return descriptorRefusals;
  }

  /// Returns the number of idle connections that were closed to make room for new ones.
  public long idleEvictions() {
    return idleEvictions;
  }

  public long overBudgetConnections() {
    return overBudgetConnections;
  }

  public long oversizeMessages() {
    return oversizeMessages;
  }

  /// Returns the number of messages retained by a lease on the arena.
  public long retainedByLease() {
    return retainedByLease;
  }

  /// Returns the number of messages retained by a copy because no quota or free chunk was
  /// available.
  public long retainedByCopy() {
    return retainedByCopy;
  }

  /// Returns the number of messages that could not be retained.
  public long retainsRefused() {
    return retainsRefused;
  }

  /// Returns the number of chunks of blocked output that were moved out of the arena because it was
  /// running out of free chunks.
  public long chunksCopiedOut() {
    return chunksCopiedOut;
  }

  /// Returns the number of connections closed because the peer received nothing within the write
  /// timeout.
  public long writeTimeouts() {
    return writeTimeouts;
  }

  /// Returns the number of times that a connection has waited for output memory.
  public long outputWaits() {
    return outputWaits;
  }

  /// Returns the number of connections that ended, for any reason, before a reply was completely
  /// sent.
  public long cutReplies() {
    return cutReplies;
  }

  public long tlsHandshakes() {
    return tlsHandshakes;
  }

  public long tlsFailures() {
    return tlsFailures;
  }
}
