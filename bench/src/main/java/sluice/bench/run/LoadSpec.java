package sluice.bench.run;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// The load that the load generator sends. Immutable.
///
/// @param connections the number of busy connections
/// @param depth requests in flight on each
/// @param idle connections that sent one request and stay open
/// @param echoBytes size of echo messages; 0 for HTTP
/// @param mix file of HTTP requests, see `RequestMix`; null for echo
/// @param rate intended requests per second (open loop), 0 for a closed loop
/// @param tls true if the busy connections use TLS
/// @param nfs calls of NFS instead; null for echo and HTTP
/// @param slow further connections that send a request head byte by byte, see [SlowClients]
public record LoadSpec(
    int connections,
    int depth,
    int idle,
    int echoBytes,
    @Nullable Path mix,
    double rate,
    boolean tls,
    @Nullable NfsLoad nfs,
    int slow) {
  public static LoadSpec echo(int connections, int depth, int bytes) {
    return new LoadSpec(connections, depth, 0, bytes, null, 0, false, null, 0);
  }

  public static LoadSpec http(int connections, int depth, Path mix) {
    return new LoadSpec(connections, depth, 0, 0, mix, 0, false, null, 0);
  }

  public static LoadSpec nfs(int connections, int depth, NfsLoad nfs) {
    return new LoadSpec(connections, depth, 0, 0, null, 0, false, nfs, 0);
  }

  public LoadSpec withConnections(int count) {
    return new LoadSpec(count, depth, idle, echoBytes, mix, rate, tls, nfs, slow);
  }

  public LoadSpec withIdle(int count) {
    return new LoadSpec(connections, depth, count, echoBytes, mix, rate, tls, nfs, slow);
  }

  public LoadSpec withRate(double requestsPerSecond) {
    return new LoadSpec(
        connections, depth, idle, echoBytes, mix, requestsPerSecond, tls, nfs, slow);
  }

  public LoadSpec withTls() {
    return new LoadSpec(connections, depth, idle, echoBytes, mix, rate, true, nfs, slow);
  }

  public LoadSpec withSlow(int count) {
    return new LoadSpec(connections, depth, idle, echoBytes, mix, rate, tls, nfs, count);
  }
}
