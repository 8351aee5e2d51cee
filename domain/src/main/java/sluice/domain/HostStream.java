package sluice.domain;

import java.io.OutputStream;
import java.io.PrintStream;
import java.util.function.BooleanSupplier;

/// A stream of the host as a domain writes to it, through a [PrintStream] of its own. So code of
/// the domain that a print runs, as a `toString` that does not end, holds the lock of the domain's
/// stream and not the host's; and the domain cannot close it. Any thread may write.
///
/// Once the domain has ended, what is written is dropped: its threads are interrupted, and what
/// they print of that is no failure of the application.
final class HostStream extends OutputStream {
  private final PrintStream host;
  private final BooleanSupplier hasEnded;

  private HostStream(PrintStream host, BooleanSupplier hasEnded) {
    this.host = host;
    this.hasEnded = hasEnded;
  }

  /// A stream for one domain.
  ///
  /// @param hasEnded whether the domain has ended; asked at each write
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

  /// Closes nothing.
  @Override
  public void close() {
    flush();
  }
}
