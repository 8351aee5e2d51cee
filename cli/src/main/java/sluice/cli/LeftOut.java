package sluice.cli;

import java.io.PrintWriter;

/// What could not be copied, told as it comes; owners, which may be those of all files, at the end.
/// Of the command's thread.
final class LeftOut {
  private final PrintWriter err;
  private boolean any;
  private long owners;
  private Object firstOwned = "";

  LeftOut(PrintWriter err) {
    this.err = err;
  }

  /// @param what a file or a part of one, and why
  void tell(String what) {
    any = true;
    err.println("sluice: left out " + what);
  }

  /// The owner of a file.
  void owner(Object file) {
    any = true;
    firstOwned = owners == 0 ? file : firstOwned;
    owners++;
  }

  /// @return whether anything was left out
  boolean end() {
    if (owners > 0) {
      err.println(
          "sluice: left out owner and group of "
              + owners
              + " files, the first "
              + firstOwned
              + ": only root may give files away. Fix: run as root, or leave -a out");
    }
    return any;
  }
}
