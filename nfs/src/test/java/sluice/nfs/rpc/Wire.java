package sluice.nfs.rpc;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Decodes replies according to RFC 1813, independently of the server's code. It accepts only valid
/// booleans and zero padding, and no extra bytes. Not thread-safe.
public final class Wire {
  /// A `fattr3`, with times in nanoseconds.
  public record Attributes(
      int type,
      int mode,
      int links,
      int uid,
      int gid,
      long size,
      long used,
      int major,
      int minor,
      long fsid,
      long fileid,
      long atime,
      long mtime,
      long ctime) {}

  /// A `wcc_attr`.
  public record Before(long size, long mtime, long ctime) {}

  /// A `wcc_data`.
  public record Wcc(@Nullable Before before, @Nullable Attributes after) {}

  private final ByteBuffer bytes;

  public Wire(byte[] reply, int from) {
    bytes = ByteBuffer.wrap(reply, from, reply.length - from).slice();
    if (bytes.remaining() % 4 != 0) {
      throw new AssertionError("a reply of " + reply.length + " bytes");
    }
  }

  public int u32() {
    return bytes.getInt();
  }

  public long u64() {
    return bytes.getLong();
  }

  public boolean bool() {
    int value = bytes.getInt();
    if (value != 0 && value != 1) {
      throw new AssertionError("a boolean is " + value);
    }
    return value == 1;
  }

  public byte[] opaque() {
    byte[] value = new byte[bytes.getInt()];
    bytes.get(value);
    while (bytes.position() % 4 != 0) {
      if (bytes.get() != 0) {
        throw new AssertionError("padding");
      }
    }
    return value;
  }

  private long time() {
    long seconds = bytes.getInt() & 0xFFFF_FFFFL;
    int nanos = bytes.getInt();
    if (nanos < 0 || nanos > 999_999_999) {
      throw new AssertionError("nanoseconds are " + nanos);
    }
    return seconds * 1_000_000_000L + nanos;
  }

  public Attributes fattr() {
    int type = u32();
    if (type < 1 || type > 7) {
      throw new AssertionError("ftype3 " + type);
    }
    return new Attributes(
        type, u32(), u32(), u32(), u32(), u64(), u64(), u32(), u32(), u64(), u64(), time(), time(),
        time());
  }

  public @Nullable Attributes postOp() {
    return bool() ? fattr() : null;
  }

  public byte @Nullable [] postOpHandle() {
    return bool() ? opaque() : null;
  }

  public Wcc wcc() {
    Before before = bool() ? new Before(u64(), time(), time()) : null;
    return new Wcc(before, postOp());
  }

  /// Checks that everything was read.
  public void end() {
    if (bytes.hasRemaining()) {
      byte[] rest = new byte[bytes.remaining()];
      bytes.get(rest);
      throw new AssertionError("behind the answer: " + Arrays.toString(rest));
    }
  }
}
