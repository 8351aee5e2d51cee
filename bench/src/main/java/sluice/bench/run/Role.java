package sluice.bench.run;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// The task of a server in a bench, with the systems that can perform it.
public enum Role implements Peers {
  /// Sends back the bytes it receives.
  ECHO,
  /// Serves one small file, `1k.txt`, from memory if the peer can.
  SMALL,
  /// Serves `1k.txt` over TLS.
  TLS,
  /// Serves a folder of many small files.
  SITE,
  /// Serves a folder with a large file.
  FILES,
  /// Sends back the bytes it receives, see `PollerDemo`.
  POLLER,
  /// Serves `1k.txt` with a Poller, or a thread for each connection.
  POLLER_HTTP;

  @Override
  public List<String> names() {
    return Systems.names(this);
  }

  @Override
  public List<String> defaults(boolean quick) {
    return Systems.defaults(this, quick);
  }

  @Override
  public boolean knows(String system) {
    return Systems.knows(this, system);
  }

  @Override
  public ServerSpec spec(Systems systems, String system, Path root) throws IOException {
    return systems.spec(system, this, root);
  }
}
