package sluice.bench.iozone;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/// A file of the kernel by [FileChannel] and a direct buffer. Used by one thread.
final class IozoneChannel implements IozoneTarget {
  private static final int PAGE = 4096;
  private final Path[] paths = new Path[FILES];
  private final ByteBuffer buffer;
  private @Nullable FileChannel channel;

  /// @param folder the folder for the files
  /// @param aligned true if the buffer begins at a page; the JDK places it 16 bytes after one,
  ///   where the kernel copies more slowly
  IozoneChannel(Path folder, boolean aligned) {
    buffer =
        aligned
            ? ByteBuffer.allocateDirect(MAX_RECORD_BYTES + PAGE).alignedSlice(PAGE)
            : ByteBuffer.allocateDirect(MAX_RECORD_BYTES);
    for (int i = 0; i < FILES; i++) {
      paths[i] = folder.resolve("iozone." + i);
    }
    while (buffer.hasRemaining()) {
      buffer.put((byte) 5);
    }
  }

  private FileChannel channel() {
    if (channel == null) {
      throw new IllegalStateException("not open");
    }
    return channel;
  }

  @Override
  public void create(int index) throws IOException {
    channel =
        FileChannel.open(
            paths[index],
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE);
  }

  @Override
  public void open() throws IOException {
    channel = FileChannel.open(paths[0], StandardOpenOption.READ, StandardOpenOption.WRITE);
  }

  @Override
  public void shut() throws IOException {
    if (channel != null) {
      channel.close();
      channel = null;
    }
  }

  @Override
  public void remove(int index) throws IOException {
    Files.deleteIfExists(paths[index]);
  }

  @Override
  public void write(long position, int bytes) throws IOException {
    buffer.limit(bytes).position(0);
    if (channel().write(buffer, position) != bytes) {
      throw new IOException("a short write at " + position);
    }
  }

  @Override
  public void read(long position, int bytes) throws IOException {
    buffer.limit(bytes).position(0);
    if (channel().read(buffer, position) != bytes) {
      throw new EOFException("a short read at " + position);
    }
  }

  @Override
  public void truncate() throws IOException {
    channel().truncate(0);
  }

  @Override
  public void sync() throws IOException {
    channel().force(true);
  }

  @Override
  public void mark(long value) {
    buffer.clear().putLong(0, value);
  }

  @Override
  public long marked() {
    return buffer.clear().getLong(0);
  }

  @Override
  public void close() throws IOException {
    shut();
    for (int i = 0; i < FILES; i++) {
      remove(i);
    }
  }
}
