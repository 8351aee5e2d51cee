package sluice.fs.ext2;

import sluice.fs.FsException;
import sluice.memory.Account;
import sluice.sys.Errno;

/// How much of the heap a check may take, so that an image made to harm ends the check and not the
/// process. Of the thread that checks.
final class CheckBudget {
  private final Account account;

  CheckBudget(long bytes) {
    account = new Account("check", bytes);
  }

  /// Half of what the heap may grow to: the rest is for what is passing.
  static CheckBudget ofHeap() {
    return new CheckBudget(Runtime.getRuntime().maxMemory() / 2);
  }

  /// Before memory is taken.
  ///
  /// @throws FsException `ENOMEM` when there is not so much
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
