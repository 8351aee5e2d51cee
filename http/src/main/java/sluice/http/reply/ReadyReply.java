package sluice.http.reply;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;
import sluice.http.files.FileStream;
import sluice.http.parse.HttpDate;
import sluice.http.text.Latin1;
import sluice.loop.Output;
import sluice.memory.Account;
import sluice.memory.block.Block;

/// A representation of a file, prepared for sending: a hit sends one piece of memory, or two if the
/// body is long. Owned by the loop's thread.
///
/// ```
///  block:  | 304 head | 200 head              | body (unless it is long, or streamed) |
///                       status, Date, length,
///                       fields, empty line
///  body:   | sent from here without a copy: as it was read, or in a memory file |
/// ```
///
/// Only the Date lines ever change, at most once a second. Heads are always copied when they are
/// sent, so a head in flight is never changed. The body never changes: it may be sent by reference
/// while the reply is evicted, and is freed when the last send has ended.
public final class ReadyReply {
  /// The greatest body that is copied into the turn's output; larger ones are sent from the cache.
  public static final int COPY_BODY_BYTES = 8 << 10;

  private static final byte[] OK = Latin1.bytes("HTTP/1.1 200 OK\r\nDate: ");
  private static final byte[] NOT_MODIFIED = Latin1.bytes("HTTP/1.1 304 Not Modified\r\nDate: ");
  private static final byte[] CONTENT_LENGTH = Latin1.bytes("\r\nContent-Length: ");
  private static final byte[] CRLF = Latin1.bytes("\r\n");

  private final Block block;

  /// The memory with the body; `block`, if the body is short.
  private final Block body;

  private final @Nullable FileStream file;
  private final int notModifiedLength;
  private final int okLength;
  private final int fieldsFrom;
  private final int typeLineLength;
  private final int headsLength;
  private final int bodyFrom;
  private final long bodyBytes;
  final byte[] etag;
  public final String type;
  public final long modifiedSeconds;
  private long dateSecond = Long.MIN_VALUE;

  /// The contents of a reply.
  ///
  /// @param contentFields header lines that only a reply with content has, each with CRLF;
  ///   Content-Type is the first
  /// @param validatorFields header lines that a 304 has, too, each with CRLF
  /// @param etag as in the ETag line, with quotes
  /// @param type value of the Content-Type line
  /// @param modifiedSeconds the time that dates in conditions are compared with; since 1970
  @SuppressWarnings("ArrayRecordComponent") // never compared, and handed over once
  public record Parts(
      byte[] contentFields,
      byte[] validatorFields,
      byte[] etag,
      String type,
      long modifiedSeconds,
      long bodyBytes) {}

  private ReadyReply(
      Block block, Block body, Parts parts, Layout layout, @Nullable FileStream file) {
    this.block = block;
    this.body = body;
    this.file = file;
    this.notModifiedLength = layout.notModifiedLength;
    this.okLength = layout.okLength;
    this.fieldsFrom = layout.fieldsFrom;
    this.typeLineLength = "Content-Type: \r\n".length() + parts.type.length();
    this.headsLength = layout.notModifiedLength + layout.okLength;
    this.bodyFrom = body == block ? headsLength : 0;
    this.bodyBytes = parts.bodyBytes;
    this.etag = parts.etag;
    this.type = parts.type;
    this.modifiedSeconds = parts.modifiedSeconds;
  }

  private record Layout(int notModifiedLength, int okLength, int fieldsFrom) {
    static Layout of(Parts parts, byte[] length) {
      int notModified =
          NOT_MODIFIED.length
              + HttpDate.LENGTH
              + CRLF.length
              + parts.validatorFields.length
              + CRLF.length;
      int beforeFields =
          OK.length + HttpDate.LENGTH + CONTENT_LENGTH.length + length.length + CRLF.length;
      int ok =
          beforeFields + parts.contentFields.length + parts.validatorFields.length + CRLF.length;
      return new Layout(notModified, ok, notModified + beforeFields);
    }
  }

  /// Prepares a reply whose body is in memory.
  ///
  /// @param longBodies the memory for a long body, while there is room
  /// @param body copied if it is short or long, and leased otherwise; null for an empty one
  /// @return null if the account has no room
  public static @Nullable ReadyReply inMemory(
      Account account, LongBodies longBodies, Parts parts, @Nullable Block body) {
    if (body == null || parts.bodyBytes <= COPY_BODY_BYTES) {
      ReadyReply reply = prepare(account, parts, (int) parts.bodyBytes, null, null);
      if (reply != null && body != null) {
        MemorySegment.copy(
            body.segment(), 0, reply.body.segment(), reply.bodyFrom, parts.bodyBytes);
      }
      return reply;
    }
    Block own = longBodies.allocate(account, parts.bodyBytes);
    if (own == null) {
      own = body.lease();
    } else {
      MemorySegment.copy(body.segment(), 0, own.segment(), 0, parts.bodyBytes);
    }
    ReadyReply reply = prepare(account, parts, 0, own, null);
    if (reply == null) {
      own.release();
    }
    return reply;
  }

  /// Prepares a reply whose body is sent from an open file. Takes over the reference.
  ///
  /// @return null if the account has no room; the reference then stays with the caller
  public static @Nullable ReadyReply fromFile(Account account, Parts parts, FileStream file) {
    return prepare(account, parts, 0, null, file);
  }

  private static @Nullable ReadyReply prepare(
      Account account,
      Parts parts,
      int bodyInBlock,
      @Nullable Block body,
      @Nullable FileStream file) {
    byte[] length = Latin1.bytes(Long.toString(parts.bodyBytes));
    Layout layout = Layout.of(parts, length);
    Block block =
        Block.allocate(account, layout.notModifiedLength + layout.okLength + (long) bodyInBlock);
    if (block == null) {
      return null;
    }
    MemorySegment to = block.segment();
    byte[] noDate = new byte[HttpDate.LENGTH];
    long at = put(to, 0, NOT_MODIFIED);
    at = put(to, at, noDate);
    at = put(to, at, CRLF);
    at = put(to, at, parts.validatorFields);
    at = put(to, at, CRLF);
    at = put(to, at, OK);
    at = put(to, at, noDate);
    at = put(to, at, CONTENT_LENGTH);
    at = put(to, at, length);
    at = put(to, at, CRLF);
    at = put(to, at, parts.contentFields);
    at = put(to, at, parts.validatorFields);
    put(to, at, CRLF);
    return new ReadyReply(block, body == null ? block : body, parts, layout, file);
  }

  public long bodyBytes() {
    return bodyBytes;
  }

  public boolean inMemory() {
    return file == null;
  }

  public long chargedBytes() {
    return block.lengthBytes() + (body == block ? 0 : body.lengthBytes()) + 256;
  }

  // ---- sending ------------------------------------------------------------------------------

  /// Returns the bytes of the head and the whole representation, if it is so short that it is
  /// copied when it is sent; otherwise 0.
  int copiedBytes() {
    return file == null && bodyBytes <= COPY_BODY_BYTES ? okLength + (int) bodyBytes : 0;
  }

  /// Copies all [#copiedBytes].
  void copyWhole(MemorySegment to, long at, DateLine date) {
    stamp(date);
    MemorySegment.copy(block.segment(), notModifiedLength, to, at, copiedBytes());
  }

  /// Sends the whole representation, with the connection left as HTTP/1.1 has it by default.
  void sendWhole(Output out, DateLine date) {
    stamp(date);
    int copied = copiedBytes();
    if (copied > 0) {
      out.put(block.segment(), notModifiedLength, copied);
      return;
    }
    out.put(block.segment(), notModifiedLength, okLength);
    sendBody(out, 0, bodyBytes);
  }

  /// Sends the head of the whole representation, with one more field.
  void sendHead(Output out, DateLine date, byte[] extraField) {
    stamp(date);
    sendWith(out, notModifiedLength, okLength, extraField);
  }

  /// Sends a 304, with one more field.
  void sendNotModified(Output out, DateLine date, byte[] extraField) {
    stamp(date);
    sendWith(out, 0, notModifiedLength, extraField);
  }

  private void sendWith(Output out, long from, int length, byte[] extraField) {
    if (extraField.length == 0) {
      out.put(block.segment(), from, length);
      return;
    }
    out.put(block.segment(), from, length - CRLF.length);
    out.put(extraField);
    out.put(CRLF);
  }

  /// Sends the header lines of the representation, without Date, Content-Length and empty line.
  void sendFields(Output out) {
    out.put(block.segment(), fieldsFrom, headsLength - CRLF.length - fieldsFrom);
  }

  /// Sends these header lines without Content-Type, for a body of another type.
  void sendFieldsBesideType(Output out) {
    int from = fieldsFrom + typeLineLength;
    out.put(block.segment(), from, headsLength - CRLF.length - from);
  }

  /// Sends a range of the body.
  void sendBody(Output out, long from, long count) {
    FileStream open = file;
    if (open != null) {
      out.file(new StreamBody(open.retain()), from, count);
      return;
    }
    int n = Math.toIntExact(count);
    if (n <= COPY_BODY_BYTES) {
      out.put(body.segment(), bodyFrom + from, n);
    } else {
      out.append(body, bodyFrom + from, n);
    }
  }

  private void stamp(DateLine date) {
    if (dateSecond != date.second()) {
      dateSecond = date.second();
      date.copyTo(block.segment(), NOT_MODIFIED.length);
      date.copyTo(block.segment(), notModifiedLength + OK.length);
    }
  }

  /// Drops the holder's lease. Memory that is being sent lives until it has been sent.
  public void release() {
    if (body != block) {
      body.release();
    }
    block.release();
    FileStream open = file;
    if (open != null) {
      open.release();
    }
  }

  private static long put(MemorySegment to, long at, byte[] bytes) {
    MemorySegment.copy(bytes, 0, to, ValueLayout.JAVA_BYTE, at, bytes.length);
    return at + bytes.length;
  }
}
