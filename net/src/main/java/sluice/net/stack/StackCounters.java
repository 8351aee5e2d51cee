package sluice.net.stack;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import sluice.loop.counters.CounterPublisher;
import sluice.net.port.LinkChange;

/// What a stack has counted. Written by the stack's thread; other threads read hints.
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

  /// Notes a change of the link.
  void add(LinkChange change) {
    Objects.requireNonNull(changes.get(change)).increment();
  }

  /// How often the link has changed in a way.
  public long changes(LinkChange change) {
    return Objects.requireNonNull(changes.get(change)).sum();
  }

  /// Frames that the port or the kernel below it had no room for, as of the last tick.
  public long lost() {
    return lost;
  }

  /// Times that another station has said that it has the stack's address.
  public long addressConflicts() {
    return addressConflicts;
  }

  /// 1 when the address was given up to another station.
  public long addressGivenUp() {
    return addressGivenUp;
  }

  /// Frames that came.
  public long frames() {
    return frames;
  }

  /// Frames whose headers or lengths are wrong.
  public long malformed() {
    return malformed;
  }

  /// Packets that are well formed and not believed: source routes, senders that cannot be, stations
  /// with our own hardware address, protocols that are not spoken here.
  public long refused() {
    return refused;
  }

  /// Packets whose checksum is wrong.
  public long badChecksums() {
    return badChecksums;
  }

  /// Packets that waited for a station that did not answer.
  public long unresolved() {
    return unresolved;
  }

  /// Packets for which there is no station to send to.
  public long noRoute() {
    return noRoute;
  }

  /// Packets that found no free frame.
  public long noFrame() {
    return noFrame;
  }

  /// Fragments that came.
  public long fragments() {
    return fragments;
  }

  /// Packets that were put together from fragments.
  public long reassembled() {
    return reassembled;
  }

  /// Fragments that overlap or contradict others.
  public long fragmentsRefused() {
    return fragmentsRefused;
  }

  /// Packets whose fragments did not all come in time, or made room for later ones.
  public long reassembliesLost() {
    return reassembliesLost;
  }

  /// Echoes that were answered.
  public long echoes() {
    return echoes;
  }

  public long icmpErrorsSent() {
    return icmpErrorsSent;
  }

  public long icmpErrorsReceived() {
    return icmpErrorsReceived;
  }

  /// Datagrams that a socket has got.
  public long datagrams() {
    return datagrams;
  }

  /// Datagrams for ports without a socket.
  public long closedPorts() {
    return closedPorts;
  }

  public long packetsSent() {
    return packetsSent;
  }

  /// Shows the counts in a counters file.
  ///
  /// @param source goes before the slash of each label
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
