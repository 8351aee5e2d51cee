package sluice.cli;

import java.io.IOException;
import java.util.Map;

/// What the two ends of `sluice vi` do. Of the main thread.
interface ViWork extends AutoCloseable {
  Map<String, Object> askRoundTrips() throws IOException;

  void answerRoundTrips() throws IOException;

  Map<String, Object> askStream() throws IOException;

  void answerStream() throws IOException;

  @Override
  void close();
}
