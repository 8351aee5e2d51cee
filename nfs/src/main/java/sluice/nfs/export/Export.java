package sluice.nfs.export;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;
import sluice.fs.Caller;
import sluice.nfs.ClientRule;
import sluice.nfs.ExportOptions;
import sluice.nfs.Squash;
import sluice.nfs.rpc.Credentials;

/// A directory of a tree that clients may mount, together with its options. This class is
/// thread-safe.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | callers, allowed | any thread | volatile | volatile |
public final class Export {
  private static final int CALLERS = 64;

  private final String path;
  private final byte[] pathBytes;
  private final int number;
  private final ExportedTree exported;
  private final long rootInode;
  private final ExportOptions options;
  private final List<ClientRule> clients;

  /// A cache of callers, keyed by the identity of the credentials object.
  private final AtomicReferenceArray<@Nullable Known> callers = new AtomicReferenceArray<>(CALLERS);

  /// The address that was allowed most recently, which avoids evaluating the rules for clients that
  /// call often.
  private volatile @Nullable InetAddress allowed;

  private record Known(Credentials credentials, Caller caller) {}

  /// Creates an export.
  ///
  /// @param path the path that clients mount; it starts with `/` and does not end with `/`
  public Export(String path, ExportedTree exported, long rootInode, ExportOptions options) {
    this.path = path;
    this.exported = exported;
    this.rootInode = rootInode;
    this.options = options;
    pathBytes = path.getBytes(StandardCharsets.UTF_8);
    clients = options.clients().stream().map(ClientRule::of).toList();
    CRC32 sum = new CRC32();
    sum.update(pathBytes);
    number = (int) sum.getValue();
  }

  /// Returns the path that clients mount.
  public String path() {
    return path;
  }

  /// Returns the path in UTF-8. The caller must not change the array.
  public byte[] pathBytes() {
    return pathBytes;
  }

  /// Returns the number that identifies this export in file handles. It is computed from the path
  /// so that it stays the same after a restart.
  public int number() {
    return number;
  }

  public ExportedTree exported() {
    return exported;
  }

  /// Returns the inode number of the exported directory. Clients cannot access its parent.
  public long rootInode() {
    return rootInode;
  }

  public boolean readOnly() {
    return options.readOnly() || exported.readOnly();
  }

  /// Returns the addresses and networks that may use this export. An empty list allows all clients.
  public List<String> clients() {
    return options.clients();
  }

  /// Returns true if the given client address may use this export.
  public boolean allows(InetAddress client) {
    if (clients.isEmpty() || client == allowed) {
      return true;
    }
    for (ClientRule rule : clients) {
      if (rule.matches(client)) {
        allowed = client;
        return true;
      }
    }
    return false;
  }

  /// Returns the caller on whose behalf the tree handles calls with the given credentials.
  public Caller caller(Credentials credentials) {
    int place = System.identityHashCode(credentials) & (CALLERS - 1);
    Known known = callers.get(place);
    if (known != null && known.credentials == credentials) {
      return known.caller;
    }
    Caller made = make(credentials);
    callers.set(place, new Known(credentials, made));
    return made;
  }

  private Caller make(Credentials credentials) {
    boolean anonymous = credentials.flavor() != Credentials.AUTH_SYS;
    if (anonymous || options.squash() == Squash.ALL) {
      return new Caller(options.anonymousUid(), options.anonymousGid());
    }
    if (options.squash() == Squash.NONE) {
      return new Caller(credentials.uid(), credentials.gid(), credentials.groups());
    }
    int[] groups = credentials.groups();
    Arrays.setAll(groups, i -> gid(groups[i]));
    int uid = credentials.uid() == 0 ? options.anonymousUid() : credentials.uid();
    return new Caller(uid, gid(credentials.gid()), groups);
  }

  private int gid(int gid) {
    return gid == 0 ? options.anonymousGid() : gid;
  }

  @Override
  public String toString() {
    return path;
  }
}
