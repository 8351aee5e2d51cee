package sluice.fs.ext2;

import sluice.fs.FsException;
import sluice.memory.Account;
import sluice.sys.Errno;

/// A limit on the heap memory that a check uses. A malicious image makes the check fail, but not
/// the process. Confined to the checking thread.
final class CheckBudget {
  private final Account account;

  CheckBudget(long bytes) {
    account = new Account("check", bytes);
  }

  /// Returns a budget of half of the maximum heap. The other half is for short-lived objects.
  static CheckBudget ofHeap() {
    return new CheckBudget(Runtime.getRuntime().maxMemory() / 2);
  }

  /// Charges an allocation to the budget. Called before the allocation.
  ///
  /// @throws FsException `ENOMEM` if the budget is exhausted
  void charge(long bytes) throws FsException {
    if (!account.tryCharge(bytes)) {
      throw FsException.of(
          Errno.ENOMEM,
          "what is in use in the image takes more memory to check than "
              + (account.limitBytes() >> 20)
              + " MiB, half of the heap; Fix: a larger heap (-Xmx), or e2fsck -fn");
    }
  }

  long usedBytes() {
    return account.usedBytes();
  }
}
