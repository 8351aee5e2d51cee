package sluice.http.files;

import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.http.site.SitePath;

/// The files beneath one root: open, status, list. The site's symlink policy applies to every path,
/// which is resolved beneath the root without a race: the checked file is the opened file.
///
/// Any thread may call. Calls may wait for the disk, so a loop's thread must not call any but
/// [#status].
public interface SiteFiles extends AutoCloseable {
  /// `ENXIO` of Linux; stands for "not a file that can be read".
  int ENXIO = 6;

  /// The result of [#open].
  ///
  /// @param errno 0, or the reason why there is no handle
  /// @param handle open if `errno` is 0; a regular file or a directory, never a FIFO, socket or
  ///   device
  /// @param symlink true if the outcome depends on a symbolic link in the path
  /// @param status the status of the open file, taken after it was opened; empty without a handle
  record Opened(int errno, @Nullable FileHandle handle, boolean symlink, FileStatus status) {
    static Opened failed(int errno, boolean symlink) {
      return new Opened(Math.abs(errno), null, symlink, new FileStatus());
    }
  }

  /// An entry of a directory.
  ///
  /// @param status the status of the entry itself, not of the target of a symbolic link
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Entry(byte[] name, FileStatus status) {}

  /// Selects the entries of a listing.
  interface Filter {
    /// Returns true if the listing includes the entry.
    ///
    /// @param kind a value of [FileStatus#kind], of the entry itself
    boolean shows(byte[] name, int kind);
  }

  /// The result of [#list].
  ///
  /// @param errno 0, or the reason why there are no entries
  /// @param entries the first ones, in the order of [FirstEntries]
  /// @param more the number of entries that follow them
  record Listed(int errno, List<Entry> entries, long more) {
    static Listed failed(int errno) {
      return new Listed(Math.abs(errno), List.of(), 0);
    }
  }

  /// Opens a regular file or directory for reading. Never waits for the other end of a FIFO or for
  /// a device: those give `ENXIO`. A link that the policy refuses gives `ELOOP`, a link that leaves
  /// the root `EXDEV`.
  Opened open(SitePath path);

  /// Fills in the status of the file that `path` leads to now, by one `statx(2)` that follows
  /// links. It serves only for comparison with an earlier status; [#open] checks the policy.
  ///
  /// @return 0 or a negated errno
  int status(SitePath path, FileStatus into);

  /// Fills in the status of the entry itself; for a symbolic link, that of the link.
  ///
  /// @return 0 or a negated errno
  int entryStatus(SitePath path, FileStatus into);

  /// Returns the first `limit` of the entries that `filter` shows, and the number of the others.
  /// Reads the whole directory, and holds at most `limit` names.
  Listed list(SitePath directory, int limit, Filter filter);

  /// Replaces the root by the directory that its path leads to now.
  ///
  /// @return 0, or a negated errno if there was no descriptor for it: every path fails with that
  ///   errno until a later call finds one
  default int reopenRoot() {
    return 0;
  }

  /// Returns one line for the operator that says what these files cannot do here, and why; null if
  /// nothing is missing.
  @Nullable String shortcoming();

  @Override
  void close();
}
