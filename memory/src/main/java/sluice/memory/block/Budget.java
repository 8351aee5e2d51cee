package sluice.memory.block;

/// A budget to which blocks are charged: `Account`. Safe for use by any thread.
public interface Budget {
  /// Charges `bytes`, all or nothing.
  ///
  /// @return false if there is no room
  boolean tryCharge(long bytes);

  /// Refunds bytes that [#tryCharge] charged.
  void refund(long bytes);
}
