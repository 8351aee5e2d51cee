package sluice.testkit;

import java.io.IOException;
import java.net.SocketAddress;

/// The peers of the engine in an [EngineContract]: plain blocking sockets, or those of a
/// simulation. Called by the test's thread unless a test says otherwise.
public interface EngineContractPeers {
  /// Connects to an engine's listener and returns the established connection.
  Peer connect(SocketAddress listener) throws IOException;

  /// Opens a listener for an engine to connect to, on a free port of the loopback address.
  Listener listen() throws IOException;

  /// Returns the time of the clock that the engine's timeouts use.
  long nanos();

  /// Runs `action` while the engine waits: on another thread, or as an event.
  ///
  /// @return a task that ends when the action has ended
  Task later(long delayNanos, Action action);

  /// Returns true if addresses of this family can be used: `127.0.0.1` or `::1`.
  boolean reaches(SocketAddress address);

  /// An action for [#later].
  interface Action {
    void run() throws Exception;
  }

  /// A running action.
  interface Task {
    /// Waits for the end of the action and rethrows its exception.
    void join() throws IOException;
  }

  /// An end of a connection.
  interface Peer extends AutoCloseable {
    void write(byte[] bytes) throws IOException;

    /// Reads exactly `count` bytes, waiting for them.
    byte[] read(int count) throws IOException;

    /// Returns the bytes that have arrived, at most `limit`, without waiting.
    byte[] readAvailable(int limit) throws IOException;

    /// Waits for the end of the stream.
    ///
    /// @return true if it ended in order; false if the connection was reset, or bytes came
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

    /// Waits for a connection and returns it.
    Peer accept() throws IOException;

    @Override
    void close() throws IOException;
  }
}
