package sluice.loop.datagrams;

/// The receiver of a datagram built in a [DatagramOutput]. Called by the loop's thread.
@FunctionalInterface
interface DatagramStage {
  void stage(int bytes);
}
