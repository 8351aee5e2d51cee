package sluice.net.stack;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import sluice.loop.counters.CounterPublisher;
import sluice.net.port.LinkChange;

/// The counters of a stack. Written by the stack's thread; other threads may read slightly old
/// values.
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

  /// Returns the number of changes of a kind.
  public long changes(LinkChange change) {
    return Objects.requireNonNull(changes.get(change)).sum();
  }

  /// Returns the number of frames that the port or the kernel has dropped for lack of room, as of
  /// the last tick.
  public long lost() {
    return lost;
  }

  /// Returns the number of times that another station has claimed the stack's address.
  public long addressConflicts() {
    return addressConflicts;
  }

  /// Returns 1 if the address was given up to another station, else 0.
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

  /// Returns the number of packets that are well-formed but refused: source routes, impossible
  /// sender addresses, the stack's own hardware address as sender, unsupported protocols.
  public long refused() {
    return refused;
  }

  /// Returns the number of packets with a wrong checksum.
  public long badChecksums() {
    return badChecksums;
  }

  /// Returns the number of packets that were dropped because ARP got no answer.
  public long unresolved() {
    return unresolved;
  }

  /// Returns the number of packets without a route.
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

  /// Returns the number of fragments that overlap or contradict others.
  public long fragmentsRefused() {
    return fragmentsRefused;
  }

  /// Returns the number of incomplete packets that expired or were evicted.
  public long reassembliesLost() {
    return reassembliesLost;
  }

  /// Returns the number of answered echo requests.
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

  /// Returns the number of datagrams for ports without a socket.
  public long closedPorts() {
    return closedPorts;
  }

  /// Returns the number of frames that were sent.
  public long packetsSent() {
    return packetsSent;
  }

  /// Publishes the counters.
  ///
  /// @param source the part of each label before the slash
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
