package sluice.domain;

import java.io.OutputStream;
import java.io.PrintStream;
import java.util.function.BooleanSupplier;

/// A domain's view of an output stream of the host, wrapped in a [PrintStream] of the domain. Code
/// of the domain that is run by a print, such as a `toString` method that never returns, only holds
/// the lock of the domain's stream and not of the host's. The domain cannot close the host's
/// stream. Any thread may write.
///
/// Output is discarded once the domain has ended, because its threads are interrupted, and the
/// messages they print about that are not failures of the application.
final class HostStream extends OutputStream {
  private final PrintStream host;
  private final BooleanSupplier hasEnded;

  private HostStream(PrintStream host, BooleanSupplier hasEnded) {
    this.host = host;
    this.hasEnded = hasEnded;
  }

  /// Returns a stream for one domain.
  ///
  /// @param hasEnded returns true once the domain has ended; called for each write
  static PrintStream of(PrintStream host, BooleanSupplier hasEnded) {
    return new PrintStream(new HostStream(host, hasEnded), true, host.charset());
  }

  @Override
  public void write(int value) {
    if (!hasEnded.getAsBoolean()) {
      host.write(value);
    }
  }

  @Override
  public void write(byte[] bytes, int from, int count) {
    if (!hasEnded.getAsBoolean()) {
      host.write(bytes, from, count);
    }
  }

  @Override
  public void flush() {
    host.flush();
  }

  /// Flushes the host's stream, but does not close it.
  @Override
  public void close() {
    flush();
  }
}
