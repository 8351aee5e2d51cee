package sluice.verify;

/// Limits the work of the verifier, so that it runs in linear time: the analysis of a method ends
/// when its steps are used up. Confined to the verifier's thread.
///
/// A step is one visit of an instruction, an edge, or a slot of a state. A method gets [#BASE]
/// steps plus [#PER_BYTE] for each byte of its code and tables.
final class Steps {
  static final int BASE = 600;
  static final int PER_BYTE = 120;

  private long total;
  private long left;

  /// Grants the steps of the next method.
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

  /// Returns the total number of steps of all methods.
  long total() {
    return total;
  }
}
