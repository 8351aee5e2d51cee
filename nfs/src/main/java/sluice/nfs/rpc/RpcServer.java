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

/// Serves RPC programs over TCP, and over UDP on the same ports. Any thread may call.
///
/// Connections are spread over the loops; the first loop has the datagrams.
public final class RpcServer implements AutoCloseable {
  /// Which clients are served, and with what.
  ///
  /// @param allowed addresses whose calls are taken
  /// @param datagrams whether UDP is served as well
  /// @param ports opens the ports of UDP
  public record Options(
      List<RpcProgram> programs,
      RpcLimits limits,
      Predicate<InetAddress> allowed,
      boolean datagrams,
      DatagramPorts ports) {
    public Options {
      programs = List.copyOf(programs);
    }

    /// With the kernel's sockets.
    public Options(
        List<RpcProgram> programs,
        RpcLimits limits,
        Predicate<InetAddress> allowed,
        boolean datagrams) {
      this(programs, limits, allowed, datagrams, DatagramPorts.KERNEL);
    }
  }

  /// One loop's share of the server.
  private record Part(Loop loop, RpcWorkers workers) {}

  /// A port that the kernel chose for connections may be taken for datagrams: then it is asked for
  /// another one, so often.
  private static final int PORTS_TRIED = 10;

  private final Options options;
  private final AtomicLong numbers = new AtomicLong();
  private final List<Part> parts = new CopyOnWriteArrayList<>();
  private final List<InetSocketAddress> datagramAddresses = new ArrayList<>();
  private @Nullable Server server;

  private RpcServer(Options options) {
    this.options = options;
  }

  /// Starts serving; returns when every address is served.
  ///
  /// @throws IOException when an address cannot be bound or a backend is not to be had; nothing
  ///   stays open
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

  /// Where datagrams are served; empty where the backend cannot.
  public List<InetSocketAddress> datagramAddresses() {
    return List.copyOf(datagramAddresses);
  }

  /// Shows what the server counts in a counters file.
  public void publishTo(CounterPublisher into) {
    server().publishTo(into);
    for (Part part : parts) {
      part.workers.counts().publishTo(into, part.loop.name());
      into.gauge(part.loop.name() + "/message_bytes", part.workers.pool()::usedBytes);
      into.gauge(part.loop.name() + "/leased_bytes", part.workers.leases()::bytes);
    }
  }

  /// What the loops have counted.
  List<RpcCounters> counts() {
    return parts.stream().map(part -> part.workers.counts()).toList();
  }

  /// Memory that messages take, kept buffers included.
  long messageBytes() {
    return parts.stream().mapToLong(part -> part.workers.pool().usedBytes()).sum();
  }

  /// Takes no more calls, answers those that are under way, and ends.
  ///
  /// @return whether everything was answered in time
  public boolean drain(Duration timeout) {
    return server().drain(timeout);
  }

  /// Ends at once; waits for workers that are at a call, so that none uses the programs' trees any
  /// more, unless they take too long.
  @Override
  public void close() {
    Server running = server;
    if (running != null) {
      running.close();
      boolean _ = running.awaitEnd(RpcWorkers.DRAIN_TIMEOUT.plusSeconds(5));
    }
  }
}
