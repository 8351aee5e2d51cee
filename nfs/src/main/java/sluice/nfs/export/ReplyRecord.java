package sluice.nfs.export;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import sluice.nfs.rpc.DuplicateKey;

/// The record of a call and its reply in the file of [PersistentReplies]. This class is stateless.
/// Decoding is safe for arbitrary bytes.
///
/// ```
///  0       4       8               16      20       24        28       32            48      52
///  +-------+-------+---------------+-------+--------+---------+--------+-------------+-------+
///  | magic | crc   |   sequence    |  xid  |checksum|procedure| caller |  client     | bytes |
///  +-------+-------+---------------+-------+--------+---------+--------+-------------+-------+
///  | answer …                                                                    512 bytes
///  +-------------------------------------------------------------------------------------------
/// ```
///
/// The checksum (CRC-32C) covers all bytes after it.
public final class ReplyRecord {
  static final int BYTES = 512;
  public static final int MAX_ANSWER_BYTES = BYTES - 52;

  private static final int MAGIC = 0x534C4452;
  private static final int CRC = 4;
  private static final int SUMMED = 8;
  private static final int ANSWER = 52;

  private ReplyRecord() {}

  /// The content of a record.
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Content(long sequence, DuplicateKey call, byte[] answer) {}

  /// Encodes a record.
  ///
  /// @param into the slot that receives the record
  /// @return false if the reply is too long
  static boolean encode(long sequence, DuplicateKey call, byte[] answer, byte[] into) {
    if (answer.length > MAX_ANSWER_BYTES) {
      return false;
    }
    ByteBuffer slot = ByteBuffer.wrap(into);
    slot.putInt(MAGIC).putInt(0).putLong(sequence);
    slot.putInt(call.xid()).putInt(call.checksum());
    slot.putInt(call.procedure()).putInt(call.credentials());
    slot.putLong(call.clientHigh()).putLong(call.clientLow()).putInt(answer.length).put(answer);
    Arrays.fill(into, slot.position(), BYTES, (byte) 0);
    slot.putInt(CRC, sum(into, 0));
    return true;
  }

  private static int sum(byte[] bytes, int at) {
    CRC32C sum = new CRC32C();
    sum.update(bytes, at + SUMMED, BYTES - SUMMED);
    return (int) sum.getValue();
  }

  /// Decodes a record.
  ///
  /// @return null if there is no record or it is damaged
  static @Nullable Content decode(byte[] bytes, int at) {
    ByteBuffer slot = ByteBuffer.wrap(bytes, at, BYTES).slice();
    if (slot.getInt() != MAGIC || slot.getInt() != sum(bytes, at)) {
      return null;
    }
    long sequence = slot.getLong();
    int xid = slot.getInt();
    int checksum = slot.getInt();
    int procedure = slot.getInt();
    int caller = slot.getInt();
    long clientHigh = slot.getLong();
    long clientLow = slot.getLong();
    int length = slot.getInt();
    if (sequence < 0 || length < 4 || length > MAX_ANSWER_BYTES || (length & 3) != 0) {
      return null;
    }
    byte[] answer = new byte[length];
    slot.get(ANSWER, answer);
    DuplicateKey call = new DuplicateKey(clientHigh, clientLow, xid, checksum, procedure, caller);
    return new Content(sequence, call, answer);
  }
}
