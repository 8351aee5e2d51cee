package sluice.http.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import sluice.http.site.Site;
import sluice.sys.Errno;
import sluice.sys.SysException;

/// The files of a site, and the watches that tell what changes: the best of both that this machine
/// has. They belong to one loop.
///
/// @param watches null where nothing is watched: each hit asks the file system then
public record WatchedFiles(SiteFiles files, @Nullable WatchTable watches) {
  private static final String UNWATCHED =
      "changes are not watched, so each request for a file asks the file system: ";

  /// Opens the files through the kernel's own resolution where it is available, otherwise through
  /// java.nio.
  ///
  /// @param watches most watches held at one time, at least 2; 0 for none
  /// @param notice told, in one line each, what these files cannot do here, and why
  /// @throws IOException when the root is no directory that can be opened
  public static WatchedFiles open(Site site, int watches, Consumer<String> notice)
      throws IOException {
    SiteFiles files = files(site);
    String shortcoming = files.shortcoming();
    if (shortcoming != null) {
      notice.accept(shortcoming);
    }
    boolean watched = watches > 0 && files instanceof SiteKernelFiles;
    return new WatchedFiles(
        files, watched ? table((SiteKernelFiles) files, watches, notice) : null);
  }

  private static SiteFiles files(Site site) throws IOException {
    if (!System.getProperty("os.name").equals("Linux")) {
      return new SitePortableFiles(site, "this is not Linux");
    }
    try {
      return new SiteKernelFiles(site);
    } catch (SysException e) {
      if (e.errno() != Errno.ENOSYS && e.errno() != Errno.EPERM) {
        throw e;
      }
      if (!Files.isDirectory(site.root())) {
        throw new NotDirectoryException(
            site.root()
                + ": is no directory. Why: it does not exist, or is a file. Fix: name the directory"
                + " to serve.");
      }
      return new SitePortableFiles(site, e.call() + ": " + e.errnoName());
    }
  }

  /// @return null when there is no inotify instance to be had
  private static @Nullable WatchTable table(
      SiteKernelFiles files, int limit, Consumer<String> notice) {
    try {
      WatchTable table = new WatchTable(new WatchInotify(files), limit);
      String blind = table.blindBecause();
      if (blind != null) {
        notice.accept(UNWATCHED + blind);
      }
      return table;
    } catch (SysException e) {
      notice.accept(UNWATCHED + e.getMessage());
      return null;
    }
  }
}
