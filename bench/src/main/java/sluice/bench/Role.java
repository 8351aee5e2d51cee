package sluice.bench;

/// What a server is asked to do in a bench.
enum Role {
  /// Sends back what it receives.
  ECHO,
  /// Serves one small file, `1k.txt`, from memory where the peer can.
  SMALL,
  /// Serves a folder of files.
  FILES,
  /// Sends back what it receives, see [PollerDemo].
  POLLER,
  /// Serves `1k.txt` with a Poller, or a thread for each connection.
  POLLER_HTTP
}
