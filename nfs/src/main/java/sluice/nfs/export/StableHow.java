package sluice.nfs.export;

import sluice.nfs.rpc.XdrException;

/// The data that must be stable before the server replies to a WRITE, called `stable_how` in RFC
/// 1813 and `stable_how4` in RFC 8881. The constants are in the order of their numbers.
public enum StableHow {
  /// No data have to be stable. The client sends a COMMIT later.
  UNSTABLE(0),

  /// The data, and the attributes that are required to read them.
  DATA_SYNC(1),

  /// The data and all attributes.
  FILE_SYNC(2);

  private static final StableHow[] BY_NUMBER = values();

  private final int number;

  StableHow(int number) {
    this.number = number;
  }

  /// Returns the number of this constant in the protocol.
  public int number() {
    return number;
  }

  /// Returns the constant with the given number.
  ///
  /// @throws XdrException if the number is not valid
  public static StableHow of(int number) throws XdrException {
    if (number < 0 || number >= BY_NUMBER.length) {
      throw new XdrException("no stable_how: " + number);
    }
    return BY_NUMBER[number];
  }
}
