package sluice.cli;

import java.io.IOException;
import java.util.Map;

/// The work of the two peers of `sluice vi`. Implementations are confined to the main thread.
interface ViWork extends AutoCloseable {
  Map<String, Object> askRoundTrips() throws IOException;

  void answerRoundTrips() throws IOException;

  Map<String, Object> askStream() throws IOException;

  void answerStream() throws IOException;

  @Override
  void close();
}
