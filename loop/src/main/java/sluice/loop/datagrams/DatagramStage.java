package sluice.loop.datagrams;

/// Takes the datagram that was built in a [DatagramOutput]. Called by the loop's thread.
@FunctionalInterface
interface DatagramStage {
  void stage(int bytes);
}
