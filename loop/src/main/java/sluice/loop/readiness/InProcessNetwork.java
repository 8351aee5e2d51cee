package sluice.loop.readiness;

import static sluice.sys.Errno.EADDRINUSE;
import static sluice.sys.Errno.EAGAIN;
import static sluice.sys.Errno.ECONNREFUSED;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import sluice.sys.SysException;

/// The names under which listeners inside a process can be reached. They look like addresses, but
/// are not used by kernel sockets. Any thread may call.
public final class InProcessNetwork {
  private static final int FIRST_PORT = 1024;
  private static final int LAST_PORT = 65_535;

  private final Map<SocketAddress, List<InProcessListener>> names = new HashMap<>();
  private int lastPort = FIRST_PORT - 1;

  /// Creates a listener and binds its name.
  ///
  /// @param wanted the name; with port 0, a free port is selected
  /// @param shared true if other listeners may have the same name, in which case each receives a
  ///   part of the clients
  public synchronized InProcessListener listen(SocketAddress wanted, boolean shared, int backlog)
      throws SysException {
    SocketAddress name = wanted;
    if (wanted instanceof InetSocketAddress inet && inet.getPort() == 0) {
      name = new InetSocketAddress(inet.getAddress(), freePort());
    }
    List<InProcessListener> known = names.computeIfAbsent(name, _ -> new ArrayList<>());
    if (!known.isEmpty() && !(shared && known.getFirst().shared)) {
      throw SysException.of(EADDRINUSE, "bind", name);
    }
    InProcessListener listener = new InProcessListener(name, shared, backlog);
    known.add(listener);
    return listener;
  }

  private int freePort() {
    lastPort = lastPort == LAST_PORT ? FIRST_PORT : lastPort + 1;
    return lastPort;
  }

  public synchronized void forget(InProcessListener listener) {
    List<InProcessListener> known = names.get(listener.name());
    if (known != null) {
      known.remove(listener);
      if (known.isEmpty()) {
        names.remove(listener.name());
      }
    }
  }

  /// Connects to the listener with the given name. If there are several, the listener with the
  /// shortest queue is used.
  ///
  /// @return the connecting endpoint
  /// @throws SysException `ECONNREFUSED` if there is no listener with that name, or `EAGAIN` if its
  ///   queue is full
  public InProcessEnd connect(SocketAddress name) throws SysException {
    InProcessListener listener;
    InProcessEnd client;
    synchronized (this) {
      Optional<InProcessListener> found =
          find(name).stream().min(Comparator.comparingInt(InProcessListener::queued));
      if (found.isEmpty()) {
        throw SysException.of(ECONNREFUSED, "connect", name);
      }
      listener = found.get();
      client = InProcessEnd.connect(clientName(), listener.name());
    }
    if (!listener.offer(client.peer())) {
      throw SysException.of(EAGAIN, "connect", name);
    }
    return client;
  }

  private List<InProcessListener> find(SocketAddress name) {
    List<InProcessListener> exact = names.get(name);
    if (exact != null || !(name instanceof InetSocketAddress inet)) {
      return exact == null ? List.of() : exact;
    }
    return names.entrySet().stream()
        .filter(each -> isAny(each.getKey(), inet.getPort()))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse(List.of());
  }

  private static boolean isAny(SocketAddress name, int port) {
    return name instanceof InetSocketAddress inet
        && inet.getPort() == port
        && inet.getAddress() != null
        && inet.getAddress().isAnyLocalAddress();
  }

  private SocketAddress clientName() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), freePort());
  }
}
