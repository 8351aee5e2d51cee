package sluice.http.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import sluice.http.site.Site;
import sluice.sys.Errno;
import sluice.sys.SysException;

/// The files of a site and the watches on them, by the best means that this machine offers. They
/// belong to one loop; all sites of the directory share the root and the watches below.
///
/// @param watches null if nothing is watched: each hit then asks the file system
public record WatchedFiles(SiteFiles files, @Nullable WatchTable watches) {
  /// Opens the files through the kernel's own resolution where it is available, otherwise through
  /// java.nio.
  ///
  /// @param watches the greatest number of watches held at one time, at least 2; 0 for none
  /// @param notice receives one line for each thing that these files cannot do here, and why
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
