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

/// The configuration of a [Server].
///
/// @param name the prefix of the names of its threads
/// @param addresses the addresses to listen on; with port 0, the kernel chooses a port
/// @param adopted the listening sockets to adopt, for example those of systemd
/// @param loops the number of event loops, each with its own thread, 1 to 1024
/// @param backend the kernel mechanism
/// @param engine the limits of each loop's engine
/// @param loop the limits of each loop
/// @param listen the options of listening sockets
/// @param tls the certificate and key for all addresses, but not for adopted sockets, or null for a
///   server without TLS
/// @param slowPath the executor for tasks that may block
/// @param handlers the threads on which slow handlers run
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

  /// Creates a configuration whose slow handlers run on the slow path.
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

  /// Returns a configuration with one loop that uses the best backend, and virtual threads for the
  /// slow path.
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

  /// Returns the configuration of [#of(String, SocketAddress)] on the loopback address.
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

  /// Returns a copy with the given certificate and key for all addresses, but not for adopted
  /// sockets, or without TLS if the value is null.
  public ServerConfig withTls(@Nullable TlsContext value) {
    return new ServerConfig(
        name, addresses, adopted, loops, backend, engine, loop, listen, value, slowPath, handlers);
  }

  public ServerConfig withAdopted(List<AdoptedSocket> value) {
    return new ServerConfig(
        name, addresses, value, loops, backend, engine, loop, listen, tls, slowPath, handlers);
  }

  /// Returns a copy with the given threads for slow handlers. [HandlerThreads#LOOP] is intended for
  /// trusted code.
  public ServerConfig withHandlers(HandlerThreads value) {
    return new ServerConfig(
        name, addresses, adopted, loops, backend, engine, loop, listen, tls, slowPath, value);
  }
}
