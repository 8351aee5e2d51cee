package sluice.domain.portal;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import sluice.domain.portal.copy.Copiers;
import sluice.domain.portal.copy.CopyContext;
import sluice.domain.portal.copy.References;

/// A direction between two parties, with its copiers and proxy classes. It references classes of
/// both parties, so it is discarded when either of them ends. Any thread may call.
final class Link implements References, Handle.Way {
  private final Portals portals;
  final Party sender;
  final Party receiver;
  private final Copiers copiers;

  /// The proxy classes that the receiver uses, by interface of the sender and call path.
  private final Map<Offered, ProxyClass> proxies = new ConcurrentHashMap<>();

  private record Offered(Class<?> type, CallPath path) {}

  Link(Portals portals, Party sender, Party receiver) {
    this.portals = portals;
    this.sender = sender;
    this.receiver = receiver;
    this.copiers = new Copiers(receiver.loader());
  }

  @Override
  public CopyContext context() {
    return copiers.context(this, receiver.copyQuota());
  }

  /// Returns the receiver's proxy class for a service.
  ///
  /// @throws InterfaceMismatch if the receiver does not have the service's interface
  ProxyClass proxyClass(Service service) {
    return proxies.computeIfAbsent(
        new Offered(service.type, service.path),
        _ -> ProxyClass.make(service.type, service.path, receiver));
  }

  @Override
  public @Nullable Object known(Object source) {
    if (source instanceof Proxy proxy) {
      return portals.passed(proxy.handle().service, receiver);
    }
    Service service = portals.serviceOf(sender, source);
    return service == null || !service.isActive() ? null : portals.passed(service, receiver);
  }

  @Override
  public @Nullable Object promoted(Object source, Class<?> type) {
    Object known = known(source);
    if (known != null || source instanceof Record || source instanceof Enum<?>) {
      return known;
    }
    return portals.promoted(sender, type, source, receiver);
  }
}
