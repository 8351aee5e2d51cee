package sluice.domain;

import java.io.OutputStream;
import java.io.PrintStream;

/// A stream of the host as a domain writes to it, through a [PrintStream] of its own. So code of
/// the domain that a print runs, as a `toString` that does not end, holds the lock of the domain's
/// stream and not the host's; and the domain cannot close it. Any thread may write.
final class HostStream extends OutputStream {
  private final PrintStream host;

  private HostStream(PrintStream host) {
    this.host = host;
  }

  /// A stream for one domain.
  static PrintStream of(PrintStream host) {
    return new PrintStream(new HostStream(host), true, host.charset());
  }

  @Override
  public void write(int value) {
    host.write(value);
  }

  @Override
  public void write(byte[] bytes, int from, int count) {
    host.write(bytes, from, count);
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
