package sluice.fs.ext2;

import sluice.fs.FsException;
import sluice.memory.Account;
import sluice.sys.Errno;

/// A limit on the heap memory that is used by a check. Because of this limit, a malicious image can
/// only make the check fail, but cannot exhaust the memory of the process. Instances are confined
/// to the checking thread.
final class CheckBudget {
  private final Account account;

  CheckBudget(long bytes) {
    account = new Account("check", bytes);
  }

  /// Returns a budget of half of the maximum heap size. The other half is left for short-lived
  /// objects.
  static CheckBudget ofHeap() {
    return new CheckBudget(Runtime.getRuntime().maxMemory() / 2);
  }

  /// Charges an allocation to this budget. Must be called before the allocation.
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
