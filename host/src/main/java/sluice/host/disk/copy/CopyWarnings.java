package sluice.host.disk.copy;

import java.io.PrintWriter;
import sluice.host.text.TerminalText;

/// What could not be copied, told as it comes; owners and access control lists, which may be those
/// of all files, at the end. Of the command's thread.
public final class CopyWarnings {
  private final PrintWriter err;
  private boolean any;
  private long owners;
  private Object firstOwned = "";
  private long lists;
  private Object firstListed = "";

  public CopyWarnings(PrintWriter err) {
    this.err = err;
  }

  /// @param what a file or a part of one, and why
  public void tell(String what) {
    any = true;
    err.println("sluice: left out " + TerminalText.line(what));
  }

  /// The owner of a file.
  public void owner(Object file) {
    any = true;
    firstOwned = owners == 0 ? file : firstOwned;
    owners++;
  }

  /// An access control list that the file system cannot keep.
  public void list(Object file) {
    any = true;
    firstListed = lists == 0 ? file : firstListed;
    lists++;
  }

  /// @return whether anything was left out
  public boolean end() {
    if (owners > 0) {
      err.println(
          "sluice: left out owner and group of "
              + owners
              + " files, the first "
              + TerminalText.line(firstOwned.toString())
              + ": only root may give files away. Fix: run as root, or leave -a out");
    }
    if (lists > 0) {
      err.println(
          "sluice: left out "
              + lists
              + " access control lists, the first of "
              + TerminalText.line(firstListed.toString())
              + ": the file system it goes to keeps none. Fix: copy to one mounted with them, or"
              + " leave -a out");
    }
    return any;
  }
}
