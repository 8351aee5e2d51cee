package sluice.nfs.rpc;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import sluice.loop.Loop;
import sluice.loop.Protocol;
import sluice.loop.counters.CounterPublisher;
import sluice.loop.datagrams.DatagramPorts;
import sluice.loop.server.Server;
import sluice.loop.server.ServerConfig;
import sluice.nfs.RpcLimits;
import sluice.sys.Errno;
import sluice.sys.SysException;

/// Serves RPC programs over TCP, and optionally over UDP on the same ports. This class is
/// thread-safe.
///
/// The connections are distributed over the loops. All datagrams are processed by the first loop.
public final class RpcServer implements AutoCloseable {
  /// The options of a server.
  ///
  /// @param programs the programs to serve
  /// @param limits the limits of each loop
  /// @param allowed a predicate that tests whether the clients at an address are served
  /// @param datagrams true to serve UDP as well
  /// @param ports the factory of the UDP ports
  public record Options(
      List<RpcProgram> programs,
      RpcLimits limits,
      Predicate<InetAddress> allowed,
      boolean datagrams,
      DatagramPorts ports) {
    public Options {
      programs = List.copyOf(programs);
    }

    /// Creates options that use the UDP sockets of the kernel.
    public Options(
        List<RpcProgram> programs,
        RpcLimits limits,
        Predicate<InetAddress> allowed,
        boolean datagrams) {
      this(programs, limits, allowed, datagrams, DatagramPorts.KERNEL);
    }
  }

  /// The part of the server that runs on one loop.
  private record Part(Loop loop, RpcWorkers workers) {}

  /// The number of attempts to find a port that is free for both TCP and UDP. The kernel chooses a
  /// port that is free for TCP, but the same port may already be in use for UDP.
  private static final int PORTS_TRIED = 10;

  private final Options options;
  private final AtomicLong numbers = new AtomicLong();
  private final List<Part> parts = new CopyOnWriteArrayList<>();
  private final List<InetSocketAddress> datagramAddresses = new ArrayList<>();
  private @Nullable Server server;

  private RpcServer(Options options) {
    this.options = options;
  }

  /// Starts a server. This method returns when all addresses are bound.
  ///
  /// @throws IOException if an address cannot be bound or the backend is not available; all ports
  ///   that were already opened are closed in this case
  public static RpcServer start(ServerConfig config, Options options) throws IOException {
    for (int tried = 1; ; tried++) {
      RpcServer made = new RpcServer(options);
      made.server = Server.start(config, made::protocol);
      try {
        if (options.datagrams) {
          made.openDatagrams();
        }
        return made;
      } catch (IOException | RuntimeException e) {
        made.close();
        if (tried == PORTS_TRIED || !chosenByTheKernel(config) || !isTaken(e)) {
          throw e;
        }
      }
    }
  }

  private static boolean chosenByTheKernel(ServerConfig config) {
    return config.addresses().stream()
        .allMatch(each -> each instanceof InetSocketAddress inet && inet.getPort() == 0);
  }

  private static boolean isTaken(Exception e) {
    return e instanceof SysException refused && refused.errno() == Errno.EADDRINUSE;
  }

  private Protocol protocol(Loop loop) {
    RpcDispatcher dispatcher = new RpcDispatcher(options.programs);
    RpcWorkers workers = new RpcWorkers(loop, dispatcher, options.limits, new RpcCounters());
    parts.add(new Part(loop, workers));
    return new RpcProtocol(loop, workers, numbers, options.allowed);
  }

  private void openDatagrams() throws IOException {
    Part first = parts.getFirst();
    for (SocketAddress each : server().addresses()) {
      if (each instanceof InetSocketAddress inet) {
        FutureTask<@Nullable InetSocketAddress> opening =
            new FutureTask<>(() ->
                RpcDatagrams.open(
                    options.ports, first.loop, first.workers, numbers, options.allowed, inet));
        first.loop.execute(opening);
        InetSocketAddress bound = await(opening);
        if (bound != null) {
          datagramAddresses.add(bound);
        }
      }
    }
  }

  private static @Nullable InetSocketAddress await(FutureTask<@Nullable InetSocketAddress> opening)
      throws IOException {
    try {
      return opening.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException failure) {
        throw failure;
      }
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while sockets were opened", e);
    }
  }

  public Server server() {
    Server running = server;
    if (running == null) {
      throw new IllegalStateException("the server has not started");
    }
    return running;
  }

  /// Returns the addresses that serve datagrams. The list is empty if the backend does not support
  /// datagrams.
  public List<InetSocketAddress> datagramAddresses() {
    return List.copyOf(datagramAddresses);
  }

  /// Publishes the server's counters.
  public void publishTo(CounterPublisher into) {
    server().publishTo(into);
    for (Part part : parts) {
      part.workers.counts().publishTo(into, part.loop.name());
      into.gauge(part.loop.name() + "/message_bytes", part.workers.pool()::usedBytes);
      into.gauge(part.loop.name() + "/leased_bytes", part.workers.leases()::bytes);
    }
  }

  /// Returns the counters of all loops.
  List<RpcCounters> counts() {
    return parts.stream().map(part -> part.workers.counts()).toList();
  }

  /// Returns the memory for messages in bytes, including the free buffers of the pools.
  long messageBytes() {
    return parts.stream().mapToLong(part -> part.workers.pool().usedBytes()).sum();
  }

  /// Stops accepting calls, answers the calls in progress, and closes the server.
  ///
  /// @return true if all calls were answered before the timeout
  public boolean drain(Duration timeout) {
    return server().drain(timeout);
  }

  /// Closes the server immediately. This method waits until no worker uses the trees of the
  /// programs any longer, but at most 35 seconds.
  @Override
  public void close() {
    Server running = server;
    if (running != null) {
      running.close();
      boolean _ = running.awaitEnd(RpcWorkers.DRAIN_TIMEOUT.plusSeconds(5));
    }
  }
}
