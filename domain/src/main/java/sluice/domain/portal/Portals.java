package sluice.domain.portal;

import java.lang.ref.Cleaner;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// The portals between the parties of one JVM, and the names under which services are registered.
/// Any thread may call.
///
/// A call through a portal copies its arguments to the service's party and its result to the
/// caller's party, each within the receiver's quota. Two kinds of objects are passed by reference:
/// portals, and objects whose declared type is an interface of the program. An object that is
/// passed back to its own party is the original object again.
///
/// After Golm et al., "The JX Operating System", USENIX 2002, section 2.2.
public final class Portals {
  private static final Cleaner CLEANER = Cleaner.create();

  private record Direction(Party sender, Party receiver) {}

  /// The services offered and the handles held by one party. Guarded by its own monitor.
  private static final class Offers {
    final IdentityHashMap<Object, Service> services = new IdentityHashMap<>();
    final IdentityHashMap<Handle, Handle> held = new IdentityHashMap<>();
  }

  private final CallPath promotedPath;
  private final Map<Party, Offers> parties = new ConcurrentHashMap<>();
  private final Map<Direction, Link> links = new ConcurrentHashMap<>();
  private final Map<String, Service> names = new HashMap<>();

  /// Creates an empty set of portals.
  ///
  /// @param promotedPath the path of calls to objects that became services because they were passed
  public Portals(CallPath promotedPath) {
    this.promotedPath = promotedPath;
  }

  /// Returns the party for which this thread runs a service, or an empty result outside of portal
  /// calls.
  public static Optional<Party> current() {
    return Optional.ofNullable(Frame.current().party);
  }

  /// Registers an object as a service under a name.
  ///
  /// @param type a public interface of the owner
  /// @throws IllegalArgumentException if the name is already registered, if the object does not
  ///   implement the type, or if the path makes callers run the object but the owner does not admit
  ///   them
  /// @throws PartyEnded if the owner has ended
  public void register(Party owner, String name, Class<?> type, Object object, CallPath path) {
    register(owner, name, type, object, path, 1);
  }

  /// Registers a service that runs several calls concurrently. Otherwise this method behaves like
  /// [#register(Party, String, Class, Object, CallPath)].
  ///
  /// @param calls the maximum number of concurrent calls on the path [CallPath#SERVICE], at least
  ///   1; further calls wait
  public void register(
      Party owner, String name, Class<?> type, Object object, CallPath path, int calls) {
    if (calls < 1) {
      throw new IllegalArgumentException(
          "a service runs at least 1 call at a time, and not " + calls);
    }
    if (path != CallPath.SERVICE && !owner.admitsCallers()) {
      throw new IllegalArgumentException(
          "service "
              + name
              + " on the path "
              + path
              + ". Why: its callers would run it, and in "
              + owner.name()
              + " one thread runs at a time. Fix: CallPath.SERVICE");
    }
    Service service = serve(owner, type, object, path, calls);
    synchronized (names) {
      if (names.containsKey(name)) {
        service.releaseIfUnused();
        throw new IllegalArgumentException(
            "the name " + name + " is taken. Fix: unregister it first, or use another.");
      }
      service.named();
      names.put(name, service);
      names.notifyAll();
    }
  }

  /// Removes a name. Existing portals remain usable. Has no effect if the owner has not registered
  /// a service under the name.
  public void unregister(Party owner, String name) {
    Service service;
    synchronized (names) {
      service = names.get(name);
      if (service == null || service.owner != owner) {
        return;
      }
      names.remove(name);
    }
    service.unnamed();
  }

  /// Returns a portal to the service with the given name, or the object itself if the holder owns
  /// it. The result is empty if there is no service with that name.
  ///
  /// @throws InterfaceMismatch if the holder has a different version of the interface
  public <T> Optional<T> lookup(Party holder, String name, Class<T> type) {
    Service before = null;
    while (true) {
      Service service;
      synchronized (names) {
        service = names.get(name);
      }
      try {
        return service == null ? Optional.empty() : Optional.of(as(type, service, holder));
      } catch (PortalRevoked e) {
        if (service == before || service == null || !service.isReplaced()) {
          throw e;
        }
        before = service; // its successor has the name now
      }
    }
  }

  /// Looks up a service as [#lookup] does, but waits until the name is registered.
  ///
  /// @param timeoutNanos the maximum time to wait
  public <T> Optional<T> await(Party holder, String name, Class<T> type, long timeoutNanos)
      throws InterruptedException {
    long deadline = System.nanoTime() + timeoutNanos;
    synchronized (names) {
      for (long left = timeoutNanos; !names.containsKey(name) && left > 0; ) {
        names.wait(left / 1_000_000, (int) (left % 1_000_000));
        left = deadline - System.nanoTime();
      }
    }
    return lookup(holder, name, type);
  }

  /// Revokes all portals to an object. Calls in progress terminate with [PortalRevoked]. The object
  /// may be registered again. Has no effect if the object is not a service.
  public void revoke(Party owner, Object object) {
    Service service = serviceOf(owner, object);
    if (service != null) {
      service.end(Service.State.REVOKED);
    }
  }

  /// Replaces services of one party with services of another. From then on, portals and names refer
  /// to the new services. No call fails, and calls in progress complete in the old services. Other
  /// services of the old party are not affected.
  ///
  /// @param fresh maps each object of the old owner to its successor; objects that are not services
  ///   are ignored. Services that run in the caller's thread cannot be replaced
  /// @return an object that waits for the calls that are still open in the old services
  /// @throws InterfaceMismatch if a holder has a different version of the interface, in which case
  ///   nothing is replaced
  public Replaced replace(Party owner, Party successor, Map<?, ?> fresh) {
    List<Service> olds = new ArrayList<>();
    List<Service> news = new ArrayList<>();
    List<IdentityHashMap<Proxy, Handle>> ways = new ArrayList<>();
    for (Map.Entry<?, ?> each : fresh.entrySet()) {
      Service old = serviceOf(owner, each.getKey());
      if (old == null) {
        continue;
      }
      Service made = successorOf(old, successor, each.getValue());
      olds.add(old);
      news.add(made);
      ways.add(prepare(old, made));
    }
    for (int i = 0; i < olds.size(); i++) {
      switchOver(olds.get(i), news.get(i), ways.get(i));
    }
    return nanos -> {
      long deadline = System.nanoTime() + nanos;
      boolean isIdle = true;
      for (Service old : olds) {
        isIdle &= old.awaitIdle(deadline);
      }
      return isIdle;
    };
  }

  /// The services that have been replaced by those of another party.
  @FunctionalInterface
  public interface Replaced {
    /// Waits until none of the services has an open call.
    ///
    /// @return false on timeout
    boolean awaitIdle(long timeoutNanos) throws InterruptedException;
  }

  private Service successorOf(Service old, Party successor, Object target) {
    if (old.path != CallPath.SERVICE) {
      throw new IllegalArgumentException(
          old.type.getName()
              + " cannot be replaced. Why: its calls run in the thread of the caller. Fix: offer it"
              + " by SERVICE");
    }
    Class<?> type;
    try {
      type = Class.forName(old.type.getName(), false, successor.loader());
    } catch (ClassNotFoundException e) {
      throw new InterfaceMismatch(
          "no successor of %s in party %s. Why: it has no such interface. Fix: add it."
              .formatted(old.type.getName(), successor.name()));
    }
    return serve(successor, type, target, old.path, old.calls);
  }

  /// Maps each existing proxy to its new handle for the successor.
  private IdentityHashMap<Proxy, Handle> prepare(Service old, Service made) {
    IdentityHashMap<Proxy, Handle> ways = new IdentityHashMap<>();
    for (Handle handle : old.held()) {
      if (handle.proxy.get() instanceof Proxy proxy && handle.holder != made.owner) {
        ways.put(proxy, wayTo(made, handle.holder));
      }
    }
    return ways;
  }

  private Handle wayTo(Service service, Party holder) {
    Link toHolder = link(service.owner, holder);
    Link toService = link(holder, service.owner);
    return new Handle(
        service, holder, toService, toHolder, toHolder.proxyClass(service).signatures());
  }

  private void switchOver(Service old, Service made, IdentityHashMap<Proxy, Handle> ways) {
    ways.forEach((proxy, handle) -> lead(proxy, handle, made));
    synchronized (names) {
      for (int i = old.namesNow(); i > 0; i--) {
        made.named();
      }
      names.replaceAll((_, service) -> service == old ? made : service);
    }
    for (Handle late : old.replaced()) { // handles added since the new ones were prepared
      if (late.proxy.get() instanceof Proxy proxy && proxy.handle() == late) {
        lead(proxy, wayTo(made, late.holder), made);
      }
    }
  }

  private void lead(Proxy proxy, Handle handle, Service made) {
    Offers offers = offers(handle.holder);
    handle.proxy = new WeakReference<>(proxy);
    made.hold(handle);
    synchronized (offers) {
      offers.held.put(handle, handle);
    }
    CLEANER.register(proxy, () -> drop(offers, handle));
    proxy.handle(handle);
    if (!handle.holder.alive()) {
      drop(offers, handle);
    }
  }

  /// Returns the number of parties that hold a portal to an object, or 0 if it is not a service.
  public int holders(Party owner, Object object) {
    Service service = serviceOf(owner, object);
    return service == null ? 0 : service.portals();
  }

  private <T> T as(Class<T> type, Service service, Party holder) {
    Object portal = passed(service, holder);
    if (!type.isInstance(portal)) {
      throw new InterfaceMismatch(
          "the service is a %s, not a %s of party %s. Fix: ask for the class of that party."
              .formatted(service.type.getName(), type.getName(), holder.name()));
    }
    return type.cast(portal);
  }

  @Nullable Service serviceOf(Party owner, Object object) {
    Offers offers = parties.get(owner);
    if (offers == null) {
      return null;
    }
    synchronized (offers) {
      return offers.services.get(object);
    }
  }

  /// Makes an object a service unless it is one already, and returns the receiver's reference to
  /// it.
  Object promoted(Party owner, Class<?> type, Object object, Party receiver) {
    CallPath path = owner.admitsCallers() ? promotedPath : CallPath.SERVICE;
    while (true) {
      Service service = serve(owner, type, object, path, 1);
      try {
        return passed(service, receiver);
      } catch (PortalRevoked e) {
        if (!service.isReleased()) {
          throw e;
        }
        // The last portal was garbage-collected in the meantime; the next attempt creates a new
        // service.
      }
    }
  }

  private Service serve(Party owner, Class<?> type, Object object, CallPath path, int calls) {
    if (!type.isInterface() || !type.isInstance(object)) {
      throw new IllegalArgumentException(
          object.getClass().getName() + " is not of an interface " + type.getName());
    }
    Offers offers = offers(owner);
    synchronized (offers) {
      Service service = offers.services.get(object);
      if (service == null || !service.isActive()) {
        service = new Service(owner, type, object, path, calls, left -> left(offers, left));
        offers.services.put(object, service);
      }
      service.requireUsable();
      return service;
    }
  }

  private void left(Offers offers, Service service) {
    synchronized (offers) {
      offers.services.remove(service.target(), service);
    }
    synchronized (names) {
      names.values().removeIf(named -> named == service);
    }
  }

  /// Returns a party's reference to a service, which is the object itself if the party owns it and
  /// a portal otherwise.
  Object passed(Service service, Party receiver) {
    service.requireUsable();
    if (service.owner == receiver) {
      return service.target();
    }
    Object held = service.heldBy(receiver);
    return held == null ? connect(service, receiver) : held;
  }

  private Object connect(Service service, Party holder) {
    Offers held = offers(holder);
    Link toHolder = link(service.owner, holder);
    Link toService = link(holder, service.owner);
    try {
      ProxyClass made = toHolder.proxyClass(service);
      Handle handle = new Handle(service, holder, toService, toHolder, made.signatures());
      Object proxy = made.make(handle);
      handle.proxy = new WeakReference<>(proxy);
      Object first = service.hold(handle);
      if (first != null && first != proxy) {
        return first;
      }
      synchronized (held) {
        held.held.put(handle, handle);
      }
      CLEANER.register(proxy, () -> drop(held, handle));
      if (!holder.alive() || !service.owner.alive()) {
        drop(held, handle);
        links.remove(new Direction(holder, service.owner));
        links.remove(new Direction(service.owner, holder));
      }
      return proxy;
    } catch (InterfaceMismatch e) {
      service.releaseIfUnused();
      throw e;
    }
  }

  private static void drop(Offers held, Handle handle) {
    synchronized (held) {
      held.held.remove(handle);
    }
    handle.service.drop(handle);
  }

  private Link link(Party sender, Party receiver) {
    return links.computeIfAbsent(
        new Direction(sender, receiver), _ -> new Link(this, sender, receiver));
  }

  private Offers offers(Party party) {
    Offers known = parties.get(party);
    if (known != null) {
      return known;
    }
    Offers made = new Offers();
    Offers before = parties.putIfAbsent(party, made);
    if (before != null) {
      return before;
    }
    party.onEnd(() -> ended(party, made));
    return made;
  }

  private void ended(Party party, Offers offers) {
    List<Service> services;
    List<Handle> held;
    synchronized (offers) {
      services = List.copyOf(offers.services.values());
      held = List.copyOf(offers.held.keySet());
    }
    services.forEach(service -> service.end(Service.State.ENDED));
    held.forEach(handle -> drop(offers, handle));
    links.keySet().removeIf(way -> way.sender() == party || way.receiver() == party);
    parties.remove(party, offers);
  }
}
