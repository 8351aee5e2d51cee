package sluice.nfs.v4;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import sluice.nfs.export.NfsException;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.v4.wire.Nfs4Status;
import sluice.nfs.v4.wire.Opaque;

/// Manages the state of all NFSv4.1 clients and the single lock that guards this state. Workers
/// change the state within [#change]. Loops read the state through [Nfs4StateTable], [Nfs4Sessions]
/// and [#denied], which never block.
///
/// A thread does not wait for a device while it holds the lock. Releases of files and updates of
/// the record of clients are queued instead. The thread executes them after it has released the
/// lock and before it answers its client.
final class Nfs4StateManager {
  private static final Logger LOGGER = System.getLogger("sluice.nfs");

  /// An action that is executed while the lock is held.
  interface Action<T> {
    T run() throws NfsException;
  }

  final Nfs4Limits limits;
  final LongSupplier nanoClock;
  final Nfs4Grace grace;
  final Nfs4StateTable states;
  final Nfs4Sessions sessions;
  final StableClients stable;

  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Opaque, Nfs4Client> confirmed = new HashMap<>();
  private final Map<Opaque, Nfs4Client> unconfirmed = new HashMap<>();
  private final Map<Long, Nfs4Client> byId = new HashMap<>();
  private final ConcurrentHashMap<Nfs4File.Key, Nfs4File> files = new ConcurrentHashMap<>();
  private List<Nfs4File.Key> releases = new ArrayList<>();
  private List<Opaque> forgotten = new ArrayList<>();
  private int nextClient = 1;

  /// Creates a state manager without clients.
  ///
  /// @param instance a random number that identifies the current run of the server, neither 0 nor
  ///   -1
  Nfs4StateManager(int instance, Nfs4Limits limits, StableClients stable, LongSupplier nanoClock) {
    this.limits = limits;
    this.stable = stable;
    this.nanoClock = nanoClock;
    states = new Nfs4StateTable(instance, limits.states());
    sessions = new Nfs4Sessions(limits.sessions());
    grace = new Nfs4Grace(stable.previous(), nanoClock, limits.leaseNanos());
  }

  /// Executes an action while holding the lock, and then the work that was queued by the action.
  <T> T change(Action<T> action) throws NfsException {
    List<Nfs4File.Key> toRelease = List.of();
    List<Opaque> toForget = List.of();
    lock.lock();
    try {
      return action.run();
    } finally {
      if (!releases.isEmpty()) {
        toRelease = releases;
        releases = new ArrayList<>();
      }
      if (!forgotten.isEmpty()) {
        toForget = forgotten;
        forgotten = new ArrayList<>();
      }
      lock.unlock();
      toForget.forEach(this::forget);
      toRelease.forEach(Nfs4StateManager::release);
    }
  }

  private void forget(Opaque owner) {
    try {
      stable.forget(owner);
    } catch (IOException e) {
      LOGGER.log(Level.ERROR, "an expired NFS client stays recorded", e);
    }
  }

  private static void release(Nfs4File.Key file) {
    try {
      file.tree().release(file.inode());
    } catch (IOException e) {
      LOGGER.log(Level.WARNING, "a closed file could not be released", e);
    }
  }

  /// Notifies the record of clients when the grace period has ended. This method must be called
  /// without holding the lock before new state is granted to a client.
  void tend() throws IOException {
    if (!grace.isActive()) {
      stable.graceEnded();
    }
  }

  // ---- clients, under the lock ------------------------------------------------------------------

  boolean isExpired(Nfs4Client client) {
    return nanoClock.getAsLong() - client.renewedNanos > limits.leaseNanos();
  }

  /// Returns the clients whose lease has expired, each with the files that it has open.
  Map<Nfs4Client, List<Nfs4File.Key>> expired() {
    Map<Nfs4Client, List<Nfs4File.Key>> all = new HashMap<>();
    for (Nfs4Client client : byId.values()) {
      if (isExpired(client)) {
        List<Nfs4File.Key> open = new ArrayList<>();
        for (Nfs4State state : client.states) {
          if (state instanceof Nfs4Open one) {
            open.add(one.file.key);
          }
        }
        all.put(client, open);
      }
    }
    return all;
  }

  @Nullable Nfs4Client confirmed(Opaque owner) {
    return confirmed.get(owner);
  }

  /// Returns the client with the given ID. A client that was not confirmed within one lease time is
  /// removed (RFC 8881, section 18.35.4).
  ///
  /// @throws NfsException `STALE_CLIENTID` if there is no such client
  Nfs4Client client(long id) throws NfsException {
    Nfs4Client client = byId.get(id);
    if (client != null && !client.confirmed && isExpired(client)) {
      drop(client);
      client = null;
    }
    if (client == null) {
      throw new NfsException(Nfs4Status.STALE_CLIENTID);
    }
    return client;
  }

  /// Returns a new client ID.
  long newId() {
    long id = (long) states.instance() << 32 | (nextClient & 0xFFFF_FFFFL);
    nextClient++;
    return id;
  }

  /// Adds an unconfirmed client, which replaces any unconfirmed client of the same owner.
  ///
  /// @throws NfsException `DELAY` if there are too many clients in total or on its machine
  Nfs4Client add(Nfs4Client made) throws NfsException {
    Nfs4Client before = unconfirmed.get(made.owner);
    if (before != null) {
      drop(before);
    }
    if (byId.size() >= limits.clients() || clientsOf(made.host) >= limits.clientsPerHost()) {
      sweep();
    }
    if (clientsOf(made.host) >= limits.clientsPerHost()) {
      dropUnconfirmed(made.host);
    }
    if (clientsOf(made.host) >= limits.clientsPerHost()) {
      throw new NfsException(Nfs4Status.DELAY);
    }
    if (byId.size() >= limits.clients()) {
      dropUnconfirmed(null);
    }
    if (byId.size() >= limits.clients()) {
      throw new NfsException(Nfs4Status.DELAY);
    }
    made.renewedNanos = nanoClock.getAsLong();
    unconfirmed.put(made.owner, made);
    byId.put(made.id, made);
    return made;
  }

  private long clientsOf(long host) {
    return byId.values().stream().filter(client -> client.host == host).count();
  }

  private int sessionsOf(long host) {
    int count = 0;
    for (Nfs4Client client : byId.values()) {
      count += client.host == host ? client.sessions.size() : 0;
    }
    return count;
  }

  /// Checks that a client may create another session. The sessions of expired clients are removed
  /// first. The number of sessions of one machine is limited so that other machines can connect.
  ///
  /// @throws NfsException `NOSPC` if a limit is reached, see RFC 8881, section 18.36.3
  void requireSession(Nfs4Client client) throws NfsException {
    client.renewedNanos = nanoClock.getAsLong(); // keeps the sweep from dropping this client
    if (sessions.isFull() || sessionsOf(client.host) >= limits.sessionsPerHost()) {
      sweep();
    }
    if (client.sessions.size() >= limits.sessionsPerClient()
        || sessionsOf(client.host) >= limits.sessionsPerHost()) {
      throw new NfsException(NfsStatus.NOSPC);
    }
  }

  /// Confirms a client when its first session has been created. An earlier instance of the client
  /// is removed with all its state.
  void confirm(Nfs4Client client) {
    if (client.confirmed) {
      return;
    }
    Nfs4Client before = confirmed.get(client.owner);
    if (before != null) {
      drop(before);
    }
    unconfirmed.remove(client.owner);
    confirmed.put(client.owner, client);
    client.confirmed = true;
  }

  /// Removes the oldest client that was never confirmed. The client can easily repeat its
  /// EXCHANGE_ID.
  ///
  /// @param host the machine of the client, or null for any machine
  private void dropUnconfirmed(@Nullable Long host) {
    Nfs4Client oldest = null;
    for (Nfs4Client client : unconfirmed.values()) {
      boolean fits = host == null || client.host == host;
      if (fits && (oldest == null || client.renewedNanos - oldest.renewedNanos < 0)) {
        oldest = client;
      }
    }
    if (oldest != null) {
      drop(oldest);
    }
  }

  /// Removes all clients whose lease has expired, including unconfirmed clients.
  private void sweep() {
    for (Nfs4Client client : new ArrayList<>(byId.values())) {
      if (isExpired(client)) {
        expire(client);
      }
    }
  }

  /// Removes a client whose lease has expired. The client may not reclaim its state after a
  /// restart.
  void expire(Nfs4Client client) {
    drop(client);
    if (client.confirmed) {
      forgotten.add(client.owner);
    }
  }

  /// Removes a client with all its state.
  void drop(Nfs4Client client) {
    client.gone = true;
    byId.remove(client.id);
    confirmed.remove(client.owner, client);
    unconfirmed.remove(client.owner, client);
    for (Nfs4Session session : client.sessions) {
      sessions.remove(session);
    }
    client.sessions.clear();
    for (Nfs4State state : new ArrayList<>(client.states)) {
      if (state instanceof Nfs4Open open) {
        remove(open);
      }
    }
  }

  // ---- states, under the lock -------------------------------------------------------------------

  /// Returns the file with the given key if a client has it open, or null otherwise. The lock is
  /// not required.
  @Nullable Nfs4File file(Nfs4File.Key key) {
    return files.get(key);
  }

  /// Returns the share-deny bits that apply to callers that do not have the file open. The lock is
  /// not required.
  int denied(Nfs4File.Key key) {
    Nfs4File file = files.get(key);
    return file == null ? 0 : file.denied;
  }

  Nfs4File fileToOpen(Nfs4File.Key key) {
    return files.computeIfAbsent(key, Nfs4File::new);
  }

  /// Checks that another state may be created for a client.
  ///
  /// @throws NfsException `NOSPC` if the client has too many states, or if all clients together
  ///   have too many
  void requireRoom(Nfs4Client client) throws NfsException {
    if (states.isFull()) {
      sweep();
    }
    if (states.isFull() || client.states.size() >= limits.statesPerClient()) {
      throw new NfsException(NfsStatus.NOSPC);
    }
  }

  void add(Nfs4State state) {
    states.add(state);
    state.client.states.add(state);
  }

  void remove(Nfs4Open open) {
    for (Nfs4Lock one : List.copyOf(open.locks)) {
      remove(one);
    }
    states.remove(open);
    open.client.states.remove(open);
    Nfs4File file = open.file;
    file.opens.remove(open);
    file.sharesChanged();
    if (file.opens.isEmpty()) {
      files.remove(file.key);
    }
    releases.add(file.key);
  }

  void remove(Nfs4Lock locks) {
    states.remove(locks);
    locks.client.states.remove(locks);
    locks.client.ranges -= locks.ranges.count();
    locks.open().locks.remove(locks);
    locks.file.locks.remove(locks);
  }

  /// Queues the release of a file that was retained although the owner already had it open.
  void releaseLater(Nfs4File.Key key) {
    releases.add(key);
  }
}
