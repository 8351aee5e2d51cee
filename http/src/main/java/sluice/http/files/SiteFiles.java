package sluice.http.files;

import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.http.site.SitePath;

/// The files beneath one root: open, status, list. Every path is resolved beneath the root by the
/// site's symlink policy, without a race: what was checked is what was opened.
///
/// Any thread may call. Calls may wait for the disk: not for a loop's thread, except [#status].
public interface SiteFiles extends AutoCloseable {
  /// `ENXIO` of Linux: what stands for "not a file that can be read".
  int ENXIO = 6;

  /// @param errno 0, or why there is no handle
  /// @param handle open when `errno` is 0; a regular file or a directory, never a FIFO, socket or
  ///   device
  /// @param symlink the outcome depends on a symbolic link in the path
  /// @param status of what is open, asked after it was opened; of nothing without a handle
  record Opened(int errno, @Nullable FileHandle handle, boolean symlink, FileStatus status) {
    static Opened failed(int errno, boolean symlink) {
      return new Opened(Math.abs(errno), null, symlink, new FileStatus());
    }
  }

  /// One name in a directory.
  ///
  /// @param status of the entry itself, not of what a symbolic link leads to
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Entry(byte[] name, FileStatus status) {}

  /// Which entries a listing has.
  interface Filter {
    /// @param kind as [FileStatus#kind], of the entry itself
    boolean shows(byte[] name, int kind);
  }

  /// @param errno 0, or why there are no entries
  /// @param entries the first ones, in the order of [FirstEntries]
  /// @param more how many entries come behind them
  record Listed(int errno, List<Entry> entries, long more) {
    static Listed failed(int errno) {
      return new Listed(Math.abs(errno), List.of(), 0);
    }
  }

  /// Opens a regular file or directory for reading. Never waits for the other end of a FIFO or for
  /// a device: those give `ENXIO`. A link that the policy refuses gives `ELOOP`, a link that leaves
  /// the root `EXDEV`.
  Opened open(SitePath path);

  /// The status of what `path` leads to now: one `statx(2)`, links followed. For comparing with an
  /// earlier status only; policy is checked by [#open].
  ///
  /// @return 0 or a negated errno
  int status(SitePath path, FileStatus into);

  /// The same of what stands under the name itself: of a symbolic link, not of what it leads to.
  int entryStatus(SitePath path, FileStatus into);

  /// The first `limit` of the entries that `filter` shows, and the number of the others. Reads the
  /// whole directory, and holds `limit` names at most.
  Listed list(SitePath directory, int limit, Filter filter);

  /// Lets the root be what its path leads to now.
  ///
  /// @return 0, or a negated errno when there was no descriptor for it: every path fails with that
  ///   errno until a later call finds one
  default int reopenRoot() {
    return 0;
  }

  /// One line for the operator: what these files cannot do here, and why; null when nothing is
  /// missing.
  @Nullable String shortcoming();

  @Override
  void close();
}
