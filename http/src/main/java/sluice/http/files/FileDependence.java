package sluice.http.files;

import org.jspecify.annotations.Nullable;
import sluice.http.site.SitePath;

/// What one fill depends on, gathered on its way: a ticket while everything can be watched.
///
/// Used by the one thread that fills.
final class FileDependence {
  private final @Nullable WatchTable watches;
  private @Nullable WatchTicket ticket;
  private boolean mayRevalidate = true;

  FileDependence(@Nullable WatchTable watches) {
    this.watches = watches;
    this.ticket = watches == null ? null : watches.ticket();
  }

  /// To be called before `path` is opened.
  void on(SitePath path) {
    WatchTable table = watches;
    WatchTicket held = ticket;
    if (table != null && held != null && !table.cover(held, path)) {
      giveUp();
    }
  }

  /// To be called before the file that `path` was found to lead to is read.
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

  /// Says that a `statx` of the file would not show every change that matters.
  void onlyByWatching() {
    mayRevalidate = false;
  }

  boolean mayRevalidate() {
    return mayRevalidate;
  }

  /// The ticket, to be handed over with the answer; null when something cannot be watched.
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
