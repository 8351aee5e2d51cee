package sluice.memory.block;

/// A budget to which blocks are charged. It is implemented by `Account`. Implementations are
/// thread-safe.
public interface Budget {
  /// Charges the given number of bytes, either completely or not at all.
  ///
  /// @return false if there is not enough room
  boolean tryCharge(long bytes);

  /// Refunds bytes that were charged by [#tryCharge].
  void refund(long bytes);
}
