package sluice.verify;

/// Counts what the verifier does, and ends the analysis of a method that takes more than its share:
/// the promise of linear time. Of the verifier's thread.
///
/// A step is one visit of an instruction, an edge, or one slot of a state. A method gets [#BASE]
/// steps and [#PER_BYTE] for each byte of its code and of its tables.
final class Steps {
  static final int BASE = 600;
  static final int PER_BYTE = 120;

  private long total;
  private long left;

  /// Begins with another method.
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

  /// All that were taken, for all methods.
  long total() {
    return total;
  }
}
