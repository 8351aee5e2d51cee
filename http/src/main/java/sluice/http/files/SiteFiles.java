package sluice.http.files;

import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.http.site.SitePath;

/// The files beneath a root directory. The site's symlink policy applies to every path. Paths are
/// resolved beneath the root without a race, so that the file that was checked is the file that is
/// opened.
///
/// Any thread may call. Since calls may block on the disk, the thread of a loop must not call any
/// method except [#status].
public interface SiteFiles extends AutoCloseable {
  /// The error `ENXIO` of Linux, which is returned for files that cannot be read.
  int ENXIO = 6;

  /// The result of [#open].
  ///
  /// @param errno 0, or the reason why there is no handle
  /// @param handle the open file if `errno` is 0, which is a regular file or a directory but never
  ///   a FIFO, socket or device
  /// @param symlink true if the outcome depends on a symbolic link in the path
  /// @param status the status of the file after it was opened, or an empty status if there is no
  ///   handle
  record Opened(int errno, @Nullable FileHandle handle, boolean symlink, FileStatus status) {
    static Opened failed(int errno, boolean symlink) {
      return new Opened(Math.abs(errno), null, symlink, new FileStatus());
    }
  }

  /// An entry of a directory.
  ///
  /// @param status the status of the entry itself rather than of the target of a symbolic link
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Entry(byte[] name, FileStatus status) {}

  /// Selects the entries of a listing.
  interface Filter {
    /// Returns true if the listing includes the entry.
    ///
    /// @param kind the value of [FileStatus#kind] for the entry itself
    boolean shows(byte[] name, int kind);
  }

  /// The result of [#list].
  ///
  /// @param errno 0, or the reason why there are no entries
  /// @param entries the first entries in the order of [FirstEntries]
  /// @param more the number of entries that follow them
  record Listed(int errno, List<Entry> entries, long more) {
    static Listed failed(int errno) {
      return new Listed(Math.abs(errno), List.of(), 0);
    }
  }

  /// Opens a regular file or directory for reading. The error is `ENXIO` for FIFOs and devices,
  /// which are never waited for. It is `ELOOP` for a link that the policy forbids, and `EXDEV` for
  /// a link that leaves the root.
  Opened open(SitePath path);

  /// Stores the status of the file that `path` currently refers to, using a single `statx(2)` that
  /// follows links. The result must only be compared with an earlier status, since [#open] checks
  /// the policy.
  ///
  /// @return 0 or a negated errno
  int status(SitePath path, FileStatus into);

  /// Stores the status of the entry itself. For a symbolic link, this is the status of the link.
  ///
  /// @return 0 or a negated errno
  int entryStatus(SitePath path, FileStatus into);

  /// Returns the first `limit` entries that `filter` accepts, and the number of the remaining ones.
  /// This method reads the whole directory but stores at most `limit` names.
  Listed list(SitePath directory, int limit, Filter filter);

  /// Replaces the root by the directory that its path currently refers to.
  ///
  /// @return 0, or a negated errno if no descriptor was available, in which case every path fails
  ///   with that error until a later call succeeds
  default int reopenRoot() {
    return 0;
  }

  /// Returns a line for the operator that describes what is not supported and why, or null if there
  /// are no limitations.
  @Nullable String shortcoming();

  @Override
  void close();
}
