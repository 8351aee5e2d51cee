package sluice.loop.server;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import sluice.loop.LoopConfig;
import sluice.loop.engine.Backend;
import sluice.loop.engine.EngineConfig;
import sluice.loop.engine.ListenOptions;
import sluice.loop.tls.TlsContext;

/// How a [Server] is set up.
///
/// @param name begins the names of its threads
/// @param addresses where it listens; port 0 lets the kernel choose one
/// @param adopted listening sockets it takes over, for example systemd's
/// @param loops event loops, each with a thread of its own, 1 to 1024
/// @param backend kernel mechanism
/// @param engine limits of each loop's engine
/// @param loop limits of each loop
/// @param listen how listening sockets are opened
/// @param tls certificate and key for all addresses, not for adopted sockets; null for a server
///   without TLS
/// @param slowPath runs what may block
/// @param handlers where slow handlers run
public record ServerConfig(
    String name,
    List<SocketAddress> addresses,
    List<AdoptedSocket> adopted,
    int loops,
    Backend backend,
    EngineConfig engine,
    LoopConfig loop,
    ListenOptions listen,
    @Nullable TlsContext tls,
    Executor slowPath,
    HandlerThreads handlers) {

  public ServerConfig {
    addresses = List.copyOf(addresses);
    adopted = List.copyOf(adopted);
    if (loops < 1 || loops > 1024) {
      throw new IllegalArgumentException("loops must be 1 to 1024: " + loops);
    }
    if (addresses.isEmpty() && adopted.isEmpty()) {
      throw new IllegalArgumentException("a server needs an address or an adopted socket");
    }
  }

  /// Slow handlers run on the slow path.
  public ServerConfig(
      String name,
      List<SocketAddress> addresses,
      List<AdoptedSocket> adopted,
      int loops,
      Backend backend,
      EngineConfig engine,
      LoopConfig loop,
      ListenOptions listen,
      @Nullable TlsContext tls,
      Executor slowPath) {
    this(
        name,
        addresses,
        adopted,
        loops,
        backend,
        engine,
        loop,
        listen,
        tls,
        slowPath,
        HandlerThreads.SLOW_PATH);
  }

  /// One loop on the best backend, slow path on virtual threads.
  public static ServerConfig of(String name, SocketAddress address) {
    return new ServerConfig(
        name,
        List.of(address),
        List.of(),
        1,
        Backend.AUTO,
        EngineConfig.DEFAULT,
        LoopConfig.DEFAULT,
        ListenOptions.DEFAULT,
        null,
        Server.VIRTUAL_THREADS,
        HandlerThreads.SLOW_PATH);
  }

  /// As [#of(String, SocketAddress)] on the loopback address.
  public static ServerConfig onLoopback(String name, int port) {
    return of(name, new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
  }

  public ServerConfig withAddresses(List<SocketAddress> value) {
    return new ServerConfig(
        name, value, adopted, loops, backend, engine, loop, listen, tls, slowPath, handlers);
  }

  public ServerConfig withBackend(Backend value) {
    return new ServerConfig(
        name, addresses, adopted, loops, value, engine, loop, listen, tls, slowPath, handlers);
  }

  public ServerConfig withLoops(int value) {
    return new ServerConfig(
        name, addresses, adopted, value, backend, engine, loop, listen, tls, slowPath, handlers);
  }

  public ServerConfig withEngine(EngineConfig value) {
    return new ServerConfig(
        name, addresses, adopted, loops, backend, value, loop, listen, tls, slowPath, handlers);
  }

  public ServerConfig withLoop(LoopConfig value) {
    return new ServerConfig(
        name, addresses, adopted, loops, backend, engine, value, listen, tls, slowPath, handlers);
  }

  public ServerConfig withListen(ListenOptions value) {
    return new ServerConfig(
        name, addresses, adopted, loops, backend, engine, loop, value, tls, slowPath, handlers);
  }

  /// Certificate and key for all addresses, not for adopted sockets; null for a server without TLS.
  public ServerConfig withTls(@Nullable TlsContext value) {
    return new ServerConfig(
        name, addresses, adopted, loops, backend, engine, loop, listen, value, slowPath, handlers);
  }

  public ServerConfig withAdopted(List<AdoptedSocket> value) {
    return new ServerConfig(
        name, addresses, value, loops, backend, engine, loop, listen, tls, slowPath, handlers);
  }

  /// Where slow handlers run; [HandlerThreads#LOOP] is for trusted code.
  public ServerConfig withHandlers(HandlerThreads value) {
    return new ServerConfig(
        name, addresses, adopted, loops, backend, engine, loop, listen, tls, slowPath, value);
  }
}
