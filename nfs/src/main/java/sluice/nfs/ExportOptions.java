package sluice.nfs;

import java.util.List;

/// The options of an export. Immutable and thread-safe.
///
/// @param readOnly true to refuse changes
/// @param clients the addresses and networks that may use the export; empty for all
/// @param squash the user IDs that are mapped to the anonymous user
/// @param anonymousUid the anonymous user, also used for AUTH_NONE
/// @param anonymousGid the anonymous group
public record ExportOptions(
    boolean readOnly, List<String> clients, Squash squash, int anonymousUid, int anonymousGid) {
  /// The uid and gid of anonymous users, as in exports(5).
  public static final int ANONYMOUS = 65_534;

  /// Creates options.
  ///
  /// @throws IllegalArgumentException if a client is neither an address nor a network
  public ExportOptions {
    clients = List.copyOf(clients);
    clients.forEach(ClientRule::of);
  }

  /// Returns the default options: writable, for all clients, with [Squash#ROOT].
  public static ExportOptions defaults() {
    return new ExportOptions(false, List.of(), Squash.ROOT, ANONYMOUS, ANONYMOUS);
  }

  /// Returns a copy that refuses or allows changes.
  public ExportOptions withReadOnly(boolean only) {
    return new ExportOptions(only, clients, squash, anonymousUid, anonymousGid);
  }

  /// Returns a copy with other clients.
  ///
  /// @throws IllegalArgumentException if a string is neither an address nor a network
  public ExportOptions withClients(String... allowed) {
    return new ExportOptions(readOnly, List.of(allowed), squash, anonymousUid, anonymousGid);
  }

  /// Returns a copy with another mapping of user IDs.
  public ExportOptions withSquash(Squash squash) {
    return new ExportOptions(readOnly, clients, squash, anonymousUid, anonymousGid);
  }

  /// Returns a copy with another anonymous user and group.
  public ExportOptions withAnonymous(int uid, int gid) {
    return new ExportOptions(readOnly, clients, squash, uid, gid);
  }
}
