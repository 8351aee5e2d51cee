package sluice.nfs;

import java.util.List;

/// How an export may be used. Immutable: any thread may use it.
///
/// @param readOnly whether changes are refused
/// @param clients addresses and networks that may use it; empty for all
/// @param squash whose ids are not believed
/// @param anonymousUid user of callers that are not believed, and of AUTH_NONE
/// @param anonymousGid their group
public record ExportOptions(
    boolean readOnly, List<String> clients, Squash squash, int anonymousUid, int anonymousGid) {
  /// The uid and gid of anonymous users, as in exports(5).
  public static final int ANONYMOUS = 65_534;

  public ExportOptions {
    clients = List.copyOf(clients);
    clients.forEach(ClientRule::of);
  }

  /// Writable for all clients; root is not believed.
  public static ExportOptions defaults() {
    return new ExportOptions(false, List.of(), Squash.ROOT, ANONYMOUS, ANONYMOUS);
  }

  public ExportOptions withReadOnly(boolean only) {
    return new ExportOptions(only, clients, squash, anonymousUid, anonymousGid);
  }

  /// @throws IllegalArgumentException when one is neither an address nor a network
  public ExportOptions withClients(String... allowed) {
    return new ExportOptions(readOnly, List.of(allowed), squash, anonymousUid, anonymousGid);
  }

  public ExportOptions withSquash(Squash squash) {
    return new ExportOptions(readOnly, clients, squash, anonymousUid, anonymousGid);
  }

  public ExportOptions withAnonymous(int uid, int gid) {
    return new ExportOptions(readOnly, clients, squash, uid, gid);
  }
}
