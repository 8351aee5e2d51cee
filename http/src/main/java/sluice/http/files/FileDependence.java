package sluice.http.files;

import org.jspecify.annotations.Nullable;
import sluice.http.site.SitePath;

/// The files and directories that the result of a fill depends on. They are added to a
/// [WatchTicket] as long as all of them can be watched.
///
/// This object is only used by the thread that runs the fill.
final class FileDependence {
  private final @Nullable WatchTable watches;
  private @Nullable WatchTicket ticket;
  private boolean mayRevalidate = true;

  FileDependence(@Nullable WatchTable watches) {
    this.watches = watches;
    this.ticket = watches == null ? null : watches.ticket();
  }

  /// Adds a dependence on the entry at `path`. This method must be called before `path` is opened.
  void on(SitePath path) {
    WatchTable table = watches;
    WatchTicket held = ticket;
    if (table != null && held != null && !table.cover(held, path)) {
      giveUp();
    }
  }

  /// Adds a dependence on the file at `path`. This method must be called before the file is read.
  void onFile(SitePath path, SiteFiles.Opened opened) {
    WatchTable table = watches;
    WatchTicket held = ticket;
    FileHandle handle = opened.handle();
    if (table != null && held != null && handle != null) {
      if (!table.watchFile(held, path, handle.fd())) {
        giveUp();
      }
    }
  }

  /// Records that `statx` on the file would not detect every relevant change.
  void onlyByWatching() {
    mayRevalidate = false;
  }

  boolean mayRevalidate() {
    return mayRevalidate;
  }

  /// Returns the ticket, which is passed on with the answer, or null if a dependence cannot be
  /// watched.
  @Nullable WatchTicket ticket() {
    return ticket;
  }

  void giveUp() {
    WatchTicket held = ticket;
    ticket = null;
    if (held != null) {
      held.close();
    }
  }
}
