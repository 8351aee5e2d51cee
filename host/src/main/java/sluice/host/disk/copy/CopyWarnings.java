package sluice.host.disk.copy;

import java.io.PrintWriter;
import sluice.host.text.TerminalText;

/// Prints warnings about files and metadata that could not be copied. Warnings about owners and
/// access control lists are summarized at the end, because they may apply to all files. Instances
/// are confined to the thread of the command.
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

  /// Prints a warning that something was not copied.
  ///
  /// @param what the file or the part of it, with the reason
  public void tell(String what) {
    any = true;
    err.println("sluice: left out " + TerminalText.line(what));
  }

  /// Counts a file whose owner was not copied.
  public void owner(Object file) {
    any = true;
    firstOwned = owners == 0 ? file : firstOwned;
    owners++;
  }

  /// Counts a file whose access control list cannot be stored by the file system.
  public void list(Object file) {
    any = true;
    firstListed = lists == 0 ? file : firstListed;
    lists++;
  }

  /// Prints the summary.
  ///
  /// @return true if anything was not copied
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
