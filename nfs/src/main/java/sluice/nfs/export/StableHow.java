package sluice.nfs.export;

import sluice.nfs.rpc.XdrException;

/// What must be on the device before a WRITE is answered: `stable_how` of RFC 1813, `stable_how4`
/// of RFC 8881. In the order of their numbers.
public enum StableHow {
  /// Nothing: the client asks for it later, by COMMIT.
  UNSTABLE(0),

  /// The content, and of the attributes what is needed to find it.
  DATA_SYNC(1),

  /// Content and attributes.
  FILE_SYNC(2);

  private static final StableHow[] BY_NUMBER = values();

  private final int number;

  StableHow(int number) {
    this.number = number;
  }

  /// What stands for it in messages.
  public int number() {
    return number;
  }

  /// @throws XdrException when the number means none
  public static StableHow of(int number) throws XdrException {
    if (number < 0 || number >= BY_NUMBER.length) {
      throw new XdrException("no stable_how: " + number);
    }
    return BY_NUMBER[number];
  }
}
