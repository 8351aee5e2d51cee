package sluice.testkit;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import sluice.loop.engine.FileBody;
import sluice.testkit.sim.SimRandom;

/// A file of a simulation. Its descriptor, if it has one, is known to the [SimEngine]. Used on the
/// simulation's thread; counts its holders.
final class MemoryFile implements FileBody {
  private final byte[] content;
  private final int fd;
  private final SimRandom random;
  private final Runnable onRelease;
  private final int copiedTail;
  private boolean released;

  /// @param fd the descriptor from [SimEngine#openFile], or -1
  MemoryFile(byte[] content, int fd, SimRandom random, Runnable onRelease) {
    this.content = content;
    this.fd = fd;
    this.random = random;
    this.onRelease = onRelease;
    this.copiedTail = random.chance(500) ? random.below(content.length + 1) : 0;
  }

  @Override
  public int fd() {
    return used(fd);
  }

  @Override
  public int read(long position, MemorySegment target, long offset, int length) {
    int from = used((int) position);
    int count = Math.min(length, content.length - from);
    int some = random.chance(300) ? random.skewed(count) : count;
    MemorySegment.copy(content, from, target, ValueLayout.JAVA_BYTE, offset, some);
    return some;
  }

  @Override
  public boolean resident(long position, long length) {
    return used(random.below(100)) < 80;
  }

  @Override
  public boolean unchanged() {
    return used(1) == 1;
  }

  @Override
  public long copiedTailBytes() {
    return copiedTail;
  }

  @Override
  public void release() {
    used(0);
    released = true;
    onRelease.run();
  }

  private int used(int value) {
    if (released) {
      throw new IllegalStateException("the file was used after its release");
    }
    return value;
  }
}
