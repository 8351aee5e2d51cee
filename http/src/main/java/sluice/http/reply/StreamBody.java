package sluice.http.reply;

import java.lang.foreign.MemorySegment;
import sluice.http.files.FileStatus;
import sluice.http.files.FileStream;
import sluice.sys.CacheStat;

/// A transfer of a [FileStream]. Owned by the loop's thread, except [#read], which the slow path
/// calls.
final class StreamBody implements sluice.loop.engine.FileBody {
  private final FileStream stream;
  private final FileStatus scratch = new FileStatus();
  private final CacheStat cached = new CacheStat();

  /// @param stream its reference passes to this transfer
  StreamBody(FileStream stream) {
    this.stream = stream;
  }

  @Override
  public int fd() {
    return stream.fd();
  }

  @Override
  public int read(long position, MemorySegment target, long offset, int length) {
    return stream.read(target, offset, length, position);
  }

  @Override
  public boolean resident(long position, long length) {
    return stream.resident(position, length, cached);
  }

  @Override
  public boolean unchanged() {
    return stream.stillSame(scratch);
  }

  @Override
  public void release() {
    stream.release();
  }
}
