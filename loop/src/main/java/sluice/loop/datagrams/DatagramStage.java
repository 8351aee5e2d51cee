package sluice.loop.datagrams;

/// Receives a datagram built in a [DatagramOutput]. Called by the loop's thread.
@FunctionalInterface
interface DatagramStage {
  void stage(int bytes);
}
