package sluice.nfs;

import java.util.List;

/// The options of an export. Immutable and thread-safe.
///
/// @param readOnly true to refuse changes
/// @param clients the addresses and networks that may use the export, or an empty list to allow all
///   clients
/// @param squash the user IDs that are mapped to the anonymous user
/// @param anonymousUid the user ID of the anonymous user, which is also used for AUTH_NONE
/// @param anonymousGid the group ID of the anonymous user
public record ExportOptions(
    boolean readOnly, List<String> clients, Squash squash, int anonymousUid, int anonymousGid) {
  /// The default user and group ID of the anonymous user, as in exports(5).
  public static final int ANONYMOUS = 65_534;

  /// Creates options.
  ///
  /// @throws IllegalArgumentException if a client is neither an address nor a network
  public ExportOptions {
    clients = List.copyOf(clients);
    clients.forEach(ClientRule::of);
  }

  /// Returns the default options, with which the export is writable, all clients may use it, and
  /// root is mapped to the anonymous user.
  public static ExportOptions defaults() {
    return new ExportOptions(false, List.of(), Squash.ROOT, ANONYMOUS, ANONYMOUS);
  }

  /// Returns a copy of these options that either refuses or allows changes.
  public ExportOptions withReadOnly(boolean only) {
    return new ExportOptions(only, clients, squash, anonymousUid, anonymousGid);
  }

  /// Returns a copy of these options with the given clients.
  ///
  /// @throws IllegalArgumentException if a string is neither an address nor a network
  public ExportOptions withClients(String... allowed) {
    return new ExportOptions(readOnly, List.of(allowed), squash, anonymousUid, anonymousGid);
  }

  /// Returns a copy of these options with the given mapping of user IDs.
  public ExportOptions withSquash(Squash squash) {
    return new ExportOptions(readOnly, clients, squash, anonymousUid, anonymousGid);
  }

  /// Returns a copy of these options with the given anonymous user and group.
  public ExportOptions withAnonymous(int uid, int gid) {
    return new ExportOptions(readOnly, clients, squash, uid, gid);
  }
}
