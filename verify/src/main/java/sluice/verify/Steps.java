package sluice.verify;

/// Limits the work of the verifier so that it runs in linear time. The analysis of a method is
/// terminated when its steps are exhausted. Instances are confined to the verifier's thread.
///
/// A step is one visit of an instruction, of an edge, or of a slot of a state. The analysis of a
/// method is limited to [#BASE] steps plus [#PER_BYTE] steps for each byte of its code and tables.
final class Steps {
  static final int BASE = 600;
  static final int PER_BYTE = 120;

  private long total;
  private long left;

  /// Sets the number of steps for the next method.
  void grant(long codeBytes) {
    left = BASE + PER_BYTE * codeBytes;
  }

  void take(long count) throws Refused {
    if (count > left) {
      throw new Refused(
          Reason.TOO_LARGE,
          -1,
          "its loops, handlers or variables take more steps than are granted");
    }
    total += count;
    left -= count;
  }

  /// Returns the total number of steps that were used for all methods.
  long total() {
    return total;
  }
}
