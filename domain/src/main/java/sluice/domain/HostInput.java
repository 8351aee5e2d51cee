package sluice.domain;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/// The standard input of the host as a domain reads it: it cannot close it, and a thread that waits
/// for it has a frame of this class. Any thread may read.
final class HostInput extends FilterInputStream {
  HostInput(InputStream host) {
    super(host);
  }

  @Override
  public int read() throws IOException {
    return in.read();
  }

  @Override
  public int read(byte[] bytes, int from, int count) throws IOException {
    return in.read(bytes, from, count);
  }

  @Override
  public long skip(long count) throws IOException {
    return in.skip(count);
  }

  /// Closes nothing.
  @Override
  public void close() {}
}
