package sluice.testkit;

import java.io.IOException;
import java.net.SocketAddress;

/// The other end of the wire in an [EngineContract]: plain blocking sockets, or a simulation's own.
/// Called by the test's thread unless a test says otherwise.
public interface EngineContractPeers {
  /// A connection to an engine's listener, established.
  Peer connect(SocketAddress listener) throws IOException;

  /// A listener for an engine to connect to, on a free port of the loopback address.
  Listener listen() throws IOException;

  /// The clock the engine's time-outs run by.
  long nanos();

  /// Runs `action` so that it happens while the engine waits: on another thread, or as an event.
  ///
  /// @return what ends when the action has ended
  Task later(long delayNanos, Action action);

  /// Whether addresses of this family can be used: `127.0.0.1` or `::1`.
  boolean reaches(SocketAddress address);

  /// What [#later] runs.
  interface Action {
    void run() throws Exception;
  }

  /// An action under way.
  interface Task {
    /// Waits for its end, and rethrows what it threw.
    void join() throws IOException;
  }

  /// One end of a connection.
  interface Peer extends AutoCloseable {
    void write(byte[] bytes) throws IOException;

    /// Waits for exactly `count` bytes.
    byte[] read(int count) throws IOException;

    /// What has arrived, at most `limit` bytes, without waiting.
    byte[] readAvailable(int limit) throws IOException;

    /// Waits for the end of the stream.
    ///
    /// @return whether it came in order: false when the connection was reset, or bytes came
    boolean readsEnd() throws IOException;

    void shutdownOutput() throws IOException;

    /// Closes with a reset instead of a FIN.
    void reset() throws IOException;

    SocketAddress localAddress() throws IOException;

    @Override
    void close() throws IOException;
  }

  /// A listening peer.
  interface Listener extends AutoCloseable {
    SocketAddress address();

    /// Waits for a connection.
    Peer accept() throws IOException;

    @Override
    void close() throws IOException;
  }
}
