package sluice.memory.block;

/// What a block is charged to: `Account`. Any thread may call.
public interface Budget {
  /// Takes `bytes`, or nothing at all.
  ///
  /// @return false when there is no room
  boolean tryCharge(long bytes);

  /// Gives back what [#tryCharge] took.
  void refund(long bytes);
}
