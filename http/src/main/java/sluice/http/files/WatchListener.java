package sluice.http.files;

/// Told what no longer holds. Called by the owner of a [WatchTable], inside [WatchTable#drain].
@FunctionalInterface
public interface WatchListener {
  /// Something that `ticket` depends on may have changed: drop what was made under it. The ticket
  /// is closed already.
  void fell(WatchTicket ticket);
}
