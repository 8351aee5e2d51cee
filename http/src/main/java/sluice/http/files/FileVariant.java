package sluice.http.files;

import org.jspecify.annotations.Nullable;
import sluice.http.site.Site;
import sluice.http.site.SitePath;
import sluice.memory.block.Block;

/// A representation of a file, which consists of its bytes in one coding, either in memory or as an
/// open file.
///
/// It holds one lease on the block, or one reference to the stream, until [#close] is called. It is
/// otherwise immutable, so any thread may use it.
public final class FileVariant implements AutoCloseable {
  private final FileCoding coding;
  private final FileValidators validators;
  private final long lengthBytes;
  private final @Nullable Block block;
  private final @Nullable FileStream stream;

  private final @Nullable SitePath sibling;

  private final FileStatus version;
  private boolean closed;

  private FileVariant(
      FileCoding coding,
      FileValidators validators,
      @Nullable Block block,
      @Nullable FileStream stream,
      @Nullable SitePath sibling,
      FileStatus version) {
    this.coding = coding;
    this.validators = validators;
    this.lengthBytes =
        block != null ? block.lengthBytes() : stream != null ? stream.lengthBytes() : 0;
    this.block = block;
    this.stream = stream;
    this.sibling = sibling;
    this.version = version;
  }

  /// Returns a variant whose bytes are sent as they are stored on disk.
  ///
  /// @param body the file, whose lease or reference is transferred to the variant; there is none if
  ///   the file is empty
  /// @param sibling the precompressed file, or null for the original
  static FileVariant stored(
      FileCoding coding, FileBody body, @Nullable SitePath sibling, Site.Tags tags) {
    FileValidators validators = FileValidators.of(body, coding, tags);
    return new FileVariant(
        coding, validators, body.block(), body.stream(), sibling, body.version());
  }

  /// Returns a variant of bytes that were compressed from the original on the fly.
  static FileVariant made(Precompress.Compressed made, FileBody original, Site.Tags tags) {
    FileValidators validators = FileValidators.ofMade(made, original, tags);
    return new FileVariant(made.coding(), validators, made.block(), null, null, original.version());
  }

  public FileCoding coding() {
    return coding;
  }

  /// Returns the entity tag in the form in which it is sent.
  public String tag() {
    return validators.tag();
  }

  public FileValidators validators() {
    return validators;
  }

  public long lengthBytes() {
    return lengthBytes;
  }

  /// Returns the bytes, or null if there are none or they are in [#stream].
  public @Nullable Block block() {
    return block;
  }

  /// Returns the open file, or null if the bytes are in [#block] or there are none.
  public @Nullable FileStream stream() {
    return stream;
  }

  /// Returns the precompressed file that contains the bytes, or null if the bytes are those of the
  /// original or were compressed from it.
  public @Nullable SitePath sibling() {
    return sibling;
  }

  public FileStatus version() {
    return version;
  }

  /// Releases the lease or reference. Idempotent.
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    if (block != null) {
      block.release();
    }
    if (stream != null) {
      stream.release();
    }
  }
}
