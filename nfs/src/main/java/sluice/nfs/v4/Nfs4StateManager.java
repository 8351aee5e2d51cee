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

/// The state of all NFSv4.1 clients and the one lock that guards it. Workers change it inside of
/// [#change]. Loops read it through [Nfs4StateTable], [Nfs4Sessions] and [#denied], which never
/// wait.
///
/// A thread that holds the lock does not wait for a device. Releases of files and updates of the
/// record of clients are queued; the thread runs them when it has released the lock, before it
/// answers its client.
final class Nfs4StateManager {
  private static final Logger LOGGER = System.getLogger("sluice.nfs");

  /// An action that runs under the lock.
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
  /// @param instance a random number that names this start of the server, neither 0 nor -1
  Nfs4StateManager(int instance, Nfs4Limits limits, StableClients stable, LongSupplier nanoClock) {
    this.limits = limits;
    this.stable = stable;
    this.nanoClock = nanoClock;
    states = new Nfs4StateTable(instance, limits.states());
    sessions = new Nfs4Sessions(limits.sessions());
    grace = new Nfs4Grace(stable.previous(), nanoClock, limits.leaseNanos());
  }

  /// Runs an action under the lock, then the work that it has queued.
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

  /// Tells the record of clients when the grace period has ended. Must be called before a client
  /// gets new state, without the lock.
  void tend() throws IOException {
    if (!grace.isActive()) {
      stable.graceEnded();
    }
  }

  // ---- clients, under the lock ------------------------------------------------------------------

  boolean isExpired(Nfs4Client client) {
    return nanoClock.getAsLong() - client.renewedNanos > limits.leaseNanos();
  }

  /// Returns the clients with an expired lease, each with the files it has open.
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

  /// Returns the client with an ID. A client that was not confirmed within a lease time is dropped
  /// (RFC 8881, section 18.35.4).
  ///
  /// @throws NfsException `STALE_CLIENTID`
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

  /// Adds an unconfirmed client. It replaces an unconfirmed client of the same owner.
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

  /// Checks that a client may have one more session. Sessions of expired clients are dropped first;
  /// the sessions of one machine are limited so that other machines can connect.
  ///
  /// @throws NfsException `NOSPC`, see RFC 8881, section 18.36.3
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

  /// Confirms a client, which has its first session now. An earlier instance of the client is
  /// dropped with all its state.
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

  /// Drops the oldest client that was never confirmed: EXCHANGE_ID is cheap to repeat.
  ///
  /// @param host the machine of the client; null for any
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

  /// Drops all clients with an expired lease, including unconfirmed ones.
  private void sweep() {
    for (Nfs4Client client : new ArrayList<>(byId.values())) {
      if (isExpired(client)) {
        expire(client);
      }
    }
  }

  /// Drops a client with an expired lease. It may not reclaim its state after a restart.
  void expire(Nfs4Client client) {
    drop(client);
    if (client.confirmed) {
      forgotten.add(client.owner);
    }
  }

  /// Drops a client with all its state.
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

  /// Returns the file if a client has it open, else null. Needs no lock.
  @Nullable Nfs4File file(Nfs4File.Key key) {
    return files.get(key);
  }

  /// Returns the share-deny bits that apply to callers that do not have the file open. Needs no
  /// lock.
  int denied(Nfs4File.Key key) {
    Nfs4File file = files.get(key);
    return file == null ? 0 : file.denied;
  }

  Nfs4File fileToOpen(Nfs4File.Key key) {
    return files.computeIfAbsent(key, Nfs4File::new);
  }

  /// Checks that a client may have one more state.
  ///
  /// @throws NfsException `NOSPC` if the client or all clients together have too many
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

  /// Queues the release of a file that was retained although the owner had it open already.
  void releaseLater(Nfs4File.Key key) {
    releases.add(key);
  }
}
