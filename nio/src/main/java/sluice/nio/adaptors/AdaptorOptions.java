package sluice.nio.adaptors;

import java.io.IOException;
import java.net.SocketException;
import java.net.SocketOption;
import java.nio.channels.NetworkChannel;
import java.util.concurrent.TimeUnit;
import sluice.nio.descriptors.NetErrors;

/// The options and the timeout of blocking calls, which all socket views of channels share. Any
/// thread may call.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `timeoutMillis` | any thread | volatile | volatile |
final class AdaptorOptions {
  private final NetworkChannel channel;
  private volatile int timeoutMillis;

  AdaptorOptions(NetworkChannel channel) {
    this.channel = channel;
  }

  /// Checks that the channel is open.
  ///
  /// @throws SocketException if it is closed
  void requireOpen() throws SocketException {
    if (!channel.isOpen()) {
      throw new SocketException("Socket is closed");
    }
  }

  <T> void set(SocketOption<T> name, T value) throws SocketException {
    try {
      channel.setOption(name, value);
    } catch (IOException problem) {
      throw NetErrors.ofAdaptor(problem);
    }
  }

  /// Sets an option whose value is a size in bytes.
  ///
  /// @throws IllegalArgumentException with the given text if it is not positive
  void setSize(SocketOption<Integer> name, int bytes, String problem) throws SocketException {
    if (bytes <= 0) {
      throw new IllegalArgumentException(problem);
    }
    set(name, bytes);
  }

  <T> T get(SocketOption<T> name) throws SocketException {
    try {
      return channel.getOption(name);
    } catch (IOException problem) {
      throw NetErrors.ofAdaptor(problem);
    }
  }

  void timeoutMillis(int millis) throws SocketException {
    requireOpen();
    if (millis < 0) {
      throw new IllegalArgumentException("timeout < 0");
    }
    timeoutMillis = millis;
  }

  int timeoutMillis() throws SocketException {
    requireOpen();
    return timeoutMillis;
  }

  /// Returns the timeout of blocking calls in nanoseconds, or 0 if they wait indefinitely.
  long timeoutNanos() {
    return TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
  }
}
