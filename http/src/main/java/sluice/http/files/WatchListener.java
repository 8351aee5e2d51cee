package sluice.http.files;

/// Receives tickets that no longer hold. The owner of a [WatchTable] calls it inside of
/// [WatchTable#drain].
@FunctionalInterface
public interface WatchListener {
  /// Called when something that `ticket` depends on may have changed: everything that was made
  /// under it must be dropped. The ticket is closed already.
  void fell(WatchTicket ticket);
}
