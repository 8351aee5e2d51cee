package sluice.vi.xdp;

import org.jspecify.annotations.Nullable;
import sluice.loop.datagrams.DatagramPeer;

/// A client that has asked for a connection and heard a cookie. Of the device's thread, except that
/// any thread may ask whether it is gone.
final class Arrival {
  private final DatagramPeer peer;
  private final long client;
  private final int reliability;
  private final Offer offer;
  private long heardAt;
  private @Nullable XdpPort port;
  private int refusal;
  private volatile boolean gone;

  Arrival(DatagramPeer peer, long client, int reliability, Offer offer, long now) {
    this.peer = peer;
    this.client = client;
    this.reliability = reliability;
    this.offer = offer;
    heardAt = now;
  }

  DatagramPeer peer() {
    return peer;
  }

  /// Returns the client's number of the connection.
  long client() {
    return client;
  }

  int reliability() {
    return reliability;
  }

  Offer offer() {
    return offer;
  }

  void heard(long now) {
    heardAt = now;
  }

  long heardAt() {
    return heardAt;
  }

  /// Its end here, once it was accepted.
  @Nullable XdpPort port() {
    return port;
  }

  void accepted(XdpPort made) {
    port = made;
  }

  /// Returns why it was refused; 0 when it was not.
  int refusal() {
    return refusal;
  }

  void refuse(int why) {
    refusal = why;
    gone = true;
  }

  /// Notes that the client has given up, or says nothing any more.
  void forget() {
    gone = true;
  }

  /// Returns whether it is no longer there to be accepted.
  boolean isGone() {
    return gone;
  }
}
