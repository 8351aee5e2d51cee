package sluice.loop;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import sluice.loop.engine.FileBody;
import sluice.loop.engine.SendVector;
import sluice.loop.output.OutSegment;
import sluice.loop.output.OutputMemory;
import sluice.loop.output.Staging;
import sluice.memory.View;
import sluice.memory.block.Block;

/// The output that a connection has yet to send, in order. Owned by the loop's thread. Handlers
/// fill it in place, and all bytes staged in one turn are sent together.
///
/// Short ranges are copied to the turn's staging memory. Long ranges are sent from their original
/// location, under a lease until they have been sent. Methods never block and never fail because of
/// missing room, so callers must check [Connection#outputFull] between messages.
public final class Output {
  /// The maximum size of a range that is copied. Below this size, a copy is cheaper than an
  /// additional range in the send.
  static final int COPY_LIMIT_BYTES = 2048;

  private final LoopParts loop;
  private final OutputMemory memory;
  private final Endpoint connection;
  private @Nullable OutSegment head;
  private @Nullable OutSegment tail;
  private long queuedBytes;
  private long takenBytes;

  Output(LoopParts loop, Endpoint connection) {
    this.loop = loop;
    this.memory = loop.outputMemory();
    this.connection = connection;
  }

  /// Returns the number of staged bytes that the kernel has not accepted, including bytes of files.
  public long queuedBytes() {
    return queuedBytes;
  }

  /// Returns the number of bytes removed from this output since its creation, either by the kernel
  /// or by TLS.
  long takenBytes() {
    return takenBytes;
  }

  public void put(byte value) {
    long at = claim(1);
    memory.staging().slab().segment().set(ValueLayout.JAVA_BYTE, at, value);
  }

  public void put(byte[] bytes) {
    put(bytes, 0, bytes.length);
  }

  public void put(byte[] bytes, int from, int count) {
    Objects.checkFromIndexSize(from, count, bytes.length); // before any of it is staged
    int done = 0;
    while (done < count) {
      int n = Math.min(count - done, Staging.SLAB_BYTES);
      long at = claim(n);
      MemorySegment.copy(
          bytes, from + done, memory.staging().slab().segment(), ValueLayout.JAVA_BYTE, at, n);
      done += n;
    }
  }

  /// Copies bytes to the output.
  public void put(MemorySegment source, long offset, int count) {
    Objects.checkFromIndexSize(offset, count, source.byteSize());
    int done = 0;
    while (done < count) {
      int n = Math.min(count - done, Staging.SLAB_BYTES);
      long at = claim(n);
      MemorySegment.copy(source, offset + done, memory.staging().slab().segment(), at, n);
      done += n;
    }
  }

  /// Sends bytes of a block in place, under a separate lease of the output. Short ranges are copied
  /// instead. The bytes must not change until they have been sent.
  public void append(Block block, long offset, int count) {
    Objects.checkFromIndexSize(offset, count, block.lengthBytes());
    if (count <= COPY_LIMIT_BYTES) {
      put(block.segment(), offset, count);
      return;
    }
    add(block.lease(), offset, count);
  }

  /// Sends bytes of a block as [#append] does, but transfers the caller's lease to the output.
  public void give(Block block, long offset, int count) {
    Objects.checkFromIndexSize(offset, count, block.lengthBytes());
    if (count <= COPY_LIMIT_BYTES) {
      put(block.segment(), offset, count);
      block.release();
    } else {
      add(block, offset, count);
    }
  }

  private void add(Block leased, long offset, int count) {
    OutSegment segment = add();
    segment.lease = leased;
    segment.bytes = leased.segment();
    segment.offset = offset;
    segment.length = count;
    queuedBytes += count;
  }

  /// Sends bytes of the current input without copying long ranges.
  ///
  /// @param input the view passed to [Protocol#received]
  public void append(View input, int from, int count) {
    HandledInput handled = loop.input();
    Block block = handled.block(input);
    if (from < 0 || count < 0 || from > input.length() - count) {
      throw new IndexOutOfBoundsException(
          "[" + from + ", +" + count + ") of a view of " + input.length() + " bytes");
    }
    append(block, handled.offset() + from, count);
    OutSegment last = tail;
    if (last != null && last.lease == block) {
      last.input = true;
    }
  }

  /// Returns the block that contains the bytes of a view, starting at [#inputOffset]. This method
  /// is intended for modules that are trusted with blocks, and is valid while the handler runs.
  public Block inputBlock(View input) {
    return loop.input().block(input);
  }

  /// Returns the offset in [#inputBlock]'s block at which the current input begins.
  public long inputOffset() {
    return loop.input().offset();
  }

  /// Sends a range of a file after the bytes staged so far. Ownership of the reference to `file` is
  /// transferred to the loop.
  public void file(FileBody file, long position, long count) {
    if (count == 0) {
      file.release();
      return;
    }
    OutSegment segment = add();
    segment.file = file;
    segment.filePosition = position;
    segment.fileRemaining = count;
    queuedBytes += count;
  }

  /// Sends bytes from the front of a block, including short ranges, under a separate lease of the
  /// output.
  void lend(Block block, int count) {
    OutSegment segment = add();
    segment.lease = block.lease();
    segment.bytes = block.segment();
    segment.offset = 0;
    segment.length = count;
    queuedBytes += count;
  }

  // ---- for OutputMark -----------------------------------------------------------------------

  @Nullable OutSegment tail() {
    return tail;
  }

  Staging staging() {
    return memory.staging();
  }

  /// Drops all bytes staged since the given segment was the tail and had the given length.
  ///
  /// @param last the tail at that time, or null if there was none
  void truncate(@Nullable OutSegment last, int length, long queued) {
    OutSegment segment = last == null ? head : last.next;
    while (segment != null) {
      OutSegment next = segment.next;
      segment.clear();
      memory.giveSegment(segment);
      segment = next;
    }
    tail = last;
    if (last == null) {
      head = null;
    } else {
      last.next = null;
      last.length = length;
    }
    queuedBytes = queued;
  }

  boolean isEmpty() {
    return head == null;
  }

  @Nullable OutSegment head() {
    return head;
  }

  /// Reserves `count` contiguous staged bytes and returns their offset in the slab.
  long claim(int count) {
    Staging staging = memory.staging();
    staging.ensure(count);
    Block slab = staging.slab();
    int at = staging.position();
    staging.advance(count);
    queuedBytes += count;
    OutSegment last = tail;
    if (last != null && last.slab == slab && last.offset + last.length == at) {
      last.length += count;
      connection.markDirty();
      return at;
    }
    OutSegment segment = add();
    segment.slab = slab;
    segment.bytes = slab.segment();
    segment.offset = at;
    segment.length = count;
    return at;
  }

  /// Releases the end of the last [#claim], which must be less than all of it.
  void unclaim(int count) {
    OutSegment last = tail;
    Staging staging = memory.staging();
    if (last == null || last.slab != staging.slab() || count >= last.length) {
      throw new IllegalStateException("nothing was claimed of which " + count + " bytes are left");
    }
    last.length -= count;
    queuedBytes -= count;
    staging.rewind(staging.currentSlab(), staging.position() - count);
  }

  private OutSegment add() {
    OutSegment segment = memory.takeSegment();
    if (tail == null) {
      head = segment;
    } else {
      tail.next = segment;
    }
    tail = segment;
    connection.markDirty();
    return segment;
  }

  /// Collects memory ranges from the front, up to the first segment that is sent as pages or the
  /// limit of one send.
  ///
  /// @return the number of bytes collected
  int gather(SendVector into) {
    into.clear();
    OutSegment segment = head;
    while (segment != null && segment.file == null && into.count() < SendVector.LIMIT) {
      if (segment != head && segment.sentByPages()) {
        into.moreFollows();
        break;
      }
      into.add(segment.bytes, segment.offset, segment.length);
      segment = segment.next;
    }
    return into.totalBytes();
  }

  /// Removes sent memory bytes from the front.
  void drop(long count) {
    queuedBytes -= count;
    takenBytes += count;
    long left = count;
    while (left > 0) {
      OutSegment segment = head;
      if (segment == null || segment.file != null) {
        throw new IllegalStateException("more bytes sent than were queued: " + left);
      }
      if (left < segment.length) {
        segment.offset += left;
        segment.length -= (int) left;
        return;
      }
      left -= segment.length;
      removeHead(segment);
    }
  }

  /// Advances the file at the front.
  void dropFile(long count) {
    OutSegment segment = head;
    if (segment == null || segment.file == null) {
      throw new IllegalStateException("no file at the front of the output");
    }
    queuedBytes -= count;
    takenBytes += count;
    segment.filePosition += count;
    segment.fileRemaining -= count;
    if (segment.fileRemaining == 0) {
      removeHead(segment);
    }
  }

  /// Holds a chunk of the file at the front for one send. The caller's lease is transferred to the
  /// output.
  void holdPiece(Block block, int count) {
    OutSegment file = head;
    if (file == null || file.file == null || file.lease != null) {
      throw new IllegalStateException("no file at the front of the output that wants a piece");
    }
    file.lease = block;
    file.bytes = block.segment();
    file.offset = 0;
    file.length = count;
  }

  /// Releases a chunk of which `count` bytes were sent. The remaining bytes are read again.
  void dropPiece(int count) {
    OutSegment file = head;
    if (file == null || file.lease == null) {
      throw new IllegalStateException("no piece of a file at the front of the output");
    }
    file.lease.release();
    file.lease = null;
    file.bytes = MemorySegment.NULL;
    file.length = 0;
    dropFile(count);
  }

  /// Inserts bytes that were read from the file at the front before the file. The caller's lease is
  /// transferred to the output.
  void replaceFileFront(Block block, int count) {
    OutSegment file = head;
    if (file == null || file.file == null) {
      throw new IllegalStateException("no file at the front of the output");
    }
    OutSegment piece = memory.takeSegment();
    piece.lease = block;
    piece.kept = true;
    piece.bytes = block.segment();
    piece.offset = 0;
    piece.length = count;
    file.filePosition += count;
    file.fileRemaining -= count;
    head = piece;
    if (file.fileRemaining > 0) {
      piece.next = file;
      return;
    }
    piece.next = file.next;
    if (file == tail) {
      tail = piece;
    }
    file.clear();
    memory.giveSegment(file);
  }

  /// Copies the staged bytes after the first `skipBytes` to blocks of the loop's output account, so
  /// that they remain valid after the turn. If the loop runs out of memory for receiving, leased
  /// input is copied as well, because peers that do not read must not prevent other connections
  /// from receiving.
  ///
  /// @return false if the account does not have enough room
  boolean persist(long skipBytes) {
    long skip = skipBytes;
    for (OutSegment segment = head; segment != null; segment = segment.next) {
      if (segment.file != null || segment.length <= skip) {
        skip = Math.max(0, skip - segment.length);
        continue;
      }
      skip = 0;
      if (segment.staged()) {
        if (!copyOut(segment)) {
          return false;
        }
      } else if (makesRoom(segment)) {
        copyOut(segment); // without room it stays where it is
      }
    }
    return true;
  }

  /// Returns true if memory of the loop's output account is held.
  boolean holdsKept() {
    for (OutSegment segment = head; segment != null; segment = segment.next) {
      if (segment.kept) {
        return true;
      }
    }
    return false;
  }

  /// Returns true if a segment holds input memory that other connections need and that the kernel
  /// cannot be reading.
  private boolean makesRoom(OutSegment segment) {
    boolean inFlight = segment == head && connection.sendState == Endpoint.Send.WAITING;
    return segment.input
        && !inFlight
        && (HandledInput.scarce(connection.transport.arena()) || loop.partials().scarce());
  }

  private boolean copyOut(OutSegment segment) {
    Block copy = memory.allocate(segment.length);
    if (copy == null) {
      return false;
    }
    MemorySegment.copy(segment.bytes, segment.offset, copy.segment(), 0, segment.length);
    Block before = segment.lease;
    if (before != null) {
      loop.counters().chunksCopiedOut++;
      before.release();
    }
    segment.lease = copy;
    segment.kept = true;
    segment.input = false;
    segment.slab = null;
    segment.bytes = copy.segment();
    segment.offset = 0;
    return true;
  }

  /// Drops all output. Must only be called if none of it is in flight.
  void clear() {
    while (head != null) {
      removeHead(head);
    }
    queuedBytes = 0;
  }

  private void removeHead(OutSegment segment) {
    head = segment.next;
    if (head == null) {
      tail = null;
    }
    segment.clear();
    memory.giveSegment(segment);
  }
}
