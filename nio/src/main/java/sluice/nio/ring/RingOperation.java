package sluice.nio.ring;

/// The operations of a [SelectorRing], as encoded in its [tokens][sluice.loop.engine.Token]. Any
/// thread may use the constants.
final class RingOperation {
  static final int RECEIVE = 1;
  static final int SEND = 2;
  static final int WRITABLE = 3;
  static final int ACCEPT = 4;
  static final int WAKE = 5;
  static final int OTHERS = 6;

  private RingOperation() {}
}
