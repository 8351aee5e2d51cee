package sluice.net.stack;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import sluice.loop.counters.CounterPublisher;
import sluice.net.port.LinkChange;

/// The counters of a stack. They are written by the stack's thread, and other threads may read
/// slightly outdated values.
public final class StackCounters {
  long frames;
  long malformed;
  long notForUs;
  long refused;
  long badChecksums;
  long arpRequests;
  long unresolved;
  long noRoute;
  long noFrame;
  long fragments;
  long reassembled;
  long fragmentsRefused;
  long reassembliesLost;
  long echoes;
  long icmpErrorsSent;
  long icmpErrorsReceived;
  long datagrams;
  long closedPorts;
  long packetsSent;
  long lost;
  long addressConflicts;
  long addressGivenUp;
  private final Map<LinkChange, LongAdder> changes = new EnumMap<>(LinkChange.class);

  StackCounters() {
    for (LinkChange each : LinkChange.values()) {
      changes.put(each, new LongAdder());
    }
  }

  /// Counts a change of the link.
  void add(LinkChange change) {
    Objects.requireNonNull(changes.get(change)).increment();
  }

  /// Returns the number of changes of the given kind.
  public long changes(LinkChange change) {
    return Objects.requireNonNull(changes.get(change)).sum();
  }

  /// Returns the number of frames that were dropped by the port or the kernel because there was not
  /// enough space. The number is updated by each tick.
  public long lost() {
    return lost;
  }

  /// Returns the number of times that another station claimed the address of the stack.
  public long addressConflicts() {
    return addressConflicts;
  }

  /// Returns 1 if the address was abandoned because it is used by another station, or 0 otherwise.
  public long addressGivenUp() {
    return addressGivenUp;
  }

  /// Returns the number of received frames.
  public long frames() {
    return frames;
  }

  /// Returns the number of frames with invalid headers or lengths.
  public long malformed() {
    return malformed;
  }

  /// Returns the number of packets that were well-formed but refused, because they contained a
  /// source route, an impossible sender address, the stack's own hardware address as sender, or an
  /// unsupported protocol.
  public long refused() {
    return refused;
  }

  /// Returns the number of packets with an incorrect checksum.
  public long badChecksums() {
    return badChecksums;
  }

  /// Returns the number of packets that were dropped because there was no reply to an ARP request.
  public long unresolved() {
    return unresolved;
  }

  /// Returns the number of packets that could not be sent because there was no route.
  public long noRoute() {
    return noRoute;
  }

  /// Returns the number of packets that were dropped because no frame was free.
  public long noFrame() {
    return noFrame;
  }

  /// Returns the number of received fragments.
  public long fragments() {
    return fragments;
  }

  /// Returns the number of packets that were reassembled.
  public long reassembled() {
    return reassembled;
  }

  /// Returns the number of fragments that overlapped or contradicted other fragments.
  public long fragmentsRefused() {
    return fragmentsRefused;
  }

  /// Returns the number of incomplete packets that have expired or were evicted.
  public long reassembliesLost() {
    return reassembliesLost;
  }

  /// Returns the number of echo requests that were answered.
  public long echoes() {
    return echoes;
  }

  /// Returns the number of ICMP errors that were sent.
  public long icmpErrorsSent() {
    return icmpErrorsSent;
  }

  /// Returns the number of ICMP errors that were received.
  public long icmpErrorsReceived() {
    return icmpErrorsReceived;
  }

  /// Returns the number of datagrams that were delivered to a socket.
  public long datagrams() {
    return datagrams;
  }

  /// Returns the number of datagrams that were received for ports without a socket.
  public long closedPorts() {
    return closedPorts;
  }

  /// Returns the number of frames that were sent.
  public long packetsSent() {
    return packetsSent;
  }

  /// Publishes the counters.
  ///
  /// @param source the prefix of each label, before the slash
  public void publishTo(CounterPublisher into, String source) {
    into.counter(source + "/frames", () -> frames);
    into.counter(source + "/malformed", () -> malformed);
    into.counter(source + "/not_for_us", () -> notForUs);
    into.counter(source + "/refused", () -> refused);
    into.counter(source + "/bad_checksums", () -> badChecksums);
    into.counter(source + "/unresolved", () -> unresolved);
    into.counter(source + "/no_route", () -> noRoute);
    into.counter(source + "/no_frame", () -> noFrame);
    into.counter(source + "/fragments", () -> fragments);
    into.counter(source + "/reassembled", () -> reassembled);
    into.counter(source + "/fragments_refused", () -> fragmentsRefused);
    into.counter(source + "/reassemblies_lost", () -> reassembliesLost);
    into.counter(source + "/echoes", () -> echoes);
    into.counter(source + "/datagrams", () -> datagrams);
    into.counter(source + "/closed_ports", () -> closedPorts);
    into.counter(source + "/packets_sent", () -> packetsSent);
    into.counter(source + "/lost", () -> lost);
    into.counter(source + "/address_conflicts", () -> addressConflicts);
    into.counter(source + "/address_given_up", () -> addressGivenUp);
    for (LinkChange change : LinkChange.values()) {
      String name = "/link_" + change.name().toLowerCase(Locale.ROOT);
      into.counter(source + name, () -> changes(change));
    }
  }
}
