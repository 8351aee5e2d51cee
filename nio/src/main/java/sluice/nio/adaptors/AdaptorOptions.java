package sluice.nio.adaptors;

import java.io.IOException;
import java.net.SocketException;
import java.net.SocketOption;
import java.nio.channels.NetworkChannel;
import java.util.concurrent.TimeUnit;
import sluice.nio.descriptors.NetErrors;

/// What the socket views of our channels share: options, and the limit of blocking calls. Any
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

  /// @throws SocketException when the channel is closed
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

  /// As [#set], of a size in bytes.
  ///
  /// @throws IllegalArgumentException with this text when it is not positive
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

  /// How long a call may block; 0 is without limit.
  long timeoutNanos() {
    return TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
  }
}
