package sluice.http.files;

/// Receives tickets that have been invalidated. The owner of a [WatchTable] invokes it in
/// [WatchTable#drain].
@FunctionalInterface
public interface WatchListener {
  /// Called when something that `ticket` depends on may have changed, in which case everything that
  /// was created under it must be discarded. The ticket has already been closed.
  void fell(WatchTicket ticket);
}
