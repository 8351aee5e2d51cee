package sluice.net.stack;

import sluice.loop.counters.CounterPublisher;

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

  /// Frames that came.
  public long frames() {
    return frames;
  }

  /// Frames whose headers or lengths are wrong.
  public long malformed() {
    return malformed;
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
  }
}
