package sluice.http.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import sluice.http.site.Site;
import sluice.sys.Errno;
import sluice.sys.SysException;

/// The files of a site and the watches on them, using the best mechanism that this machine
/// supports. They belong to one loop, but the underlying root and watches are shared by all sites
/// of the directory.
///
/// @param watches the watch table, or null if nothing is watched, in which case each hit checks the
///   file system
public record WatchedFiles(SiteFiles files, @Nullable WatchTable watches) {
  /// Opens the files using resolution by the kernel if it is available, and otherwise using
  /// java.nio.
  ///
  /// @param watches the maximum number of watches, at least 2, or 0 to disable them
  /// @param notice receives a line for each limitation of these files, including the reason
  /// @throws IOException if the root is not a directory that can be opened
  public static WatchedFiles open(Site site, int watches, Consumer<String> notice)
      throws IOException {
    if (!System.getProperty("os.name").equals("Linux")) {
      return portable(site, "this is not Linux", notice);
    }
    try {
      return SharedRoot.open(site, watches, notice);
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
      return portable(site, e.call() + ": " + e.errnoName(), notice);
    }
  }

  private static WatchedFiles portable(Site site, String why, Consumer<String> notice) {
    SiteFiles files = new SitePortableFiles(site, why);
    String shortcoming = files.shortcoming();
    if (shortcoming != null) {
      notice.accept(shortcoming);
    }
    return new WatchedFiles(files, null);
  }
}
