package sluice.domain;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/// A domain's view of the host's standard input. The domain cannot close it. A thread that is
/// blocked in it has a frame of this class on its stack. Any thread may read.
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

  /// Does nothing, because the stream belongs to the host.
  @Override
  public void close() {}
}
