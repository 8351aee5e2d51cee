package sluice.nfs.v4;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import sluice.nfs.export.ExportedTree;
import sluice.nfs.export.ServerFile;
import sluice.nfs.v4.wire.Opaque;

/// A record of clients that is stored in a hidden file of one of the exported trees. This class is
/// thread-safe because its methods are synchronized.
///
/// ```
///  0       4       8               16      20      24
///  +-------+-------+---------------+-------+-------+-----------------------------+
///  | magic | crc   |   sequence    | bytes | count | length, owner, length, …    |
///  +-------+-------+---------------+-------+-------+-----------------------------+
/// ```
///
/// The record is written alternately to two locations, so that one of them is complete even if the
/// machine crashes. The checksum (CRC-32C) covers all bytes after it.
final class StableClientsFile implements StableClients {
  /// The maximum number of recorded clients.
  static final int MAX_CLIENTS = 4096;

  private static final byte[] NAME = {'n', 'f', 's', '-', 'c', 'l', 'i', 'e', 'n', 't', 's'};
  private static final int MAGIC = 0x534C_4331;
  private static final int HEADER_BYTES = 24;
  private static final int CRC = 4;
  private static final int SUMMED = 8;
  private static final int PLACE_BYTES = 8 << 20;

  private final ExportedTree exported;
  private final long inode;
  private final Set<Opaque> previous;
  private final Set<Opaque> recorded = new LinkedHashSet<>();

  /// The clients of the previous run that have not reconnected and have not been removed.
  private final Set<Opaque> awaited;

  private long sequence;
  private boolean graceEnded;

  /// Reads the file, and creates it if it does not exist.
  ///
  /// @param exported a writable tree
  StableClientsFile(ExportedTree exported) throws IOException {
    this.exported = exported;
    inode = exported.ownFile(NAME);
    Content newest = newest(read(0), read(1));
    previous = newest == null ? Set.of() : Set.copyOf(newest.owners);
    sequence = newest == null ? 0 : newest.sequence;
    awaited = new LinkedHashSet<>(previous);
  }

  private record Content(long sequence, Set<Opaque> owners) {}

  private static @Nullable Content newest(@Nullable Content one, @Nullable Content other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    return one.sequence > other.sequence ? one : other;
  }

  @Override
  public Set<Opaque> previous() {
    return previous;
  }

  @Override
  public synchronized void record(Opaque owner) throws IOException {
    awaited.remove(owner);
    if (recorded.size() < MAX_CLIENTS && recorded.add(owner)) {
      write();
    }
  }

  @Override
  public synchronized void forget(Opaque owner) throws IOException {
    boolean known = awaited.remove(owner);
    if (recorded.remove(owner) || known) {
      write();
    }
  }

  @Override
  public synchronized void graceEnded() throws IOException {
    if (!graceEnded) {
      if (!awaited.isEmpty()) {
        awaited.clear();
        write();
      }
      graceEnded = true;
    }
  }

  // ---- the file ---------------------------------------------------------------------------------

  private void write() throws IOException {
    Set<Opaque> owners = new LinkedHashSet<>(awaited);
    owners.addAll(recorded);
    int bytes = HEADER_BYTES;
    for (Opaque owner : owners) {
      bytes += Integer.BYTES + owner.bytes().length;
    }
    ByteBuffer to = ByteBuffer.allocate(bytes);
    to.putInt(MAGIC).putInt(0).putLong(sequence + 1).putInt(bytes).putInt(owners.size());
    for (Opaque owner : owners) {
      to.putInt(owner.bytes().length).put(owner.bytes());
    }
    to.putInt(CRC, sum(to.array(), bytes));
    try (ServerFile file = new ServerFile(exported.tree(), inode, bytes)) {
      file.write(place(sequence + 1), to.array());
    }
    exported.tree().awaitStable(exported.tree().stablePoint());
    sequence++;
  }

  private static long place(long sequence) {
    return (sequence & 1) * PLACE_BYTES;
  }

  private static int sum(byte[] bytes, int length) {
    CRC32C sum = new CRC32C();
    sum.update(bytes, SUMMED, length - SUMMED);
    return (int) sum.getValue();
  }

  /// Reads the record at one of the two locations.
  ///
  /// @return null if the record does not exist or is incomplete
  private @Nullable Content read(long sequenceOfPlace) throws IOException {
    byte[] header;
    try (ServerFile file = new ServerFile(exported.tree(), inode, HEADER_BYTES)) {
      header = file.read(place(sequenceOfPlace), HEADER_BYTES);
    }
    ByteBuffer from = ByteBuffer.wrap(header);
    if (header.length < HEADER_BYTES || from.getInt() != MAGIC) {
      return null;
    }
    int bytes = from.getInt(16);
    if (bytes < HEADER_BYTES || bytes > PLACE_BYTES) {
      return null;
    }
    byte[] all;
    try (ServerFile file = new ServerFile(exported.tree(), inode, bytes)) {
      all = file.read(place(sequenceOfPlace), bytes);
    }
    if (all.length < bytes || sum(all, bytes) != from.getInt(CRC)) {
      return null;
    }
    return decode(ByteBuffer.wrap(all));
  }

  /// Decodes a record. Its lengths do not have to be checked because the checksum was correct.
  private static Content decode(ByteBuffer from) {
    long sequence = from.getLong(SUMMED);
    int count = from.getInt(20);
    from.position(HEADER_BYTES);
    Set<Opaque> owners = new LinkedHashSet<>();
    for (int i = 0; i < count; i++) {
      byte[] owner = new byte[from.getInt()];
      from.get(owner);
      owners.add(new Opaque(owner));
    }
    return new Content(sequence, owners);
  }
}
