package sluice.vi;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A ticket for a byte array into which Level I receives a message. It consists of the array and
/// the offset and length of the message. Only one thread at a time may use it.
public final class ViBATicket extends ViTicket {
  private byte[] array;
  private final int offset;
  private final boolean allocates;

  /// The array as a memory segment for the device.
  private @Nullable MemorySegment segment;

  /// The buffer into which the device stores the message while the ticket is posted.
  private @Nullable Bounce bounce;

  /// @param array the array into which a message is stored from `offset` to at most its end
  public ViBATicket(byte[] array, int offset) {
    super(1);
    Objects.checkIndex(offset, array.length + 1);
    this.array = array;
    this.offset = offset;
    allocates = false;
  }

  /// Creates a ticket that allocates an array of the message's length when the receive completes.
  ViBATicket() {
    super(1);
    array = new byte[0];
    offset = 0;
    allocates = true;
  }

  /// Returns the array, which contains the message starting at the offset.
  public byte[] byteArray() {
    return array;
  }

  /// Returns the offset of the message in the array.
  public int offset() {
    return offset;
  }

  boolean allocates() {
    return allocates;
  }

  int room() {
    return array.length - offset;
  }

  /// Passes the array to the device for a receive.
  void lendArray(int room) {
    MemorySegment memory = segment;
    if (memory == null) {
      memory = MemorySegment.ofArray(array);
      segment = memory;
    }
    descriptor.clear();
    descriptor.add(memory, offset, room, 0);
  }

  /// Passes an array to the device for a send, which copies directly from the array.
  void lendArray(byte[] from, int at, int length) {
    MemorySegment memory = segment;
    if (memory == null || array != from) {
      memory = MemorySegment.ofArray(from);
      segment = memory;
      array = from;
    }
    descriptor.clear();
    descriptor.add(memory, at, length, 0);
  }

  /// Returns the array to the caller before the device has sent all of it. The device continues
  /// with a copy.
  void takeArrayBack() {
    int length = descriptor.lengthBytes();
    byte[] copy = new byte[length];
    MemorySegment.copy(descriptor.memory(0), JAVA_BYTE, descriptor.offset(0), copy, 0, length);
    array = copy;
    segment = MemorySegment.ofArray(copy);
    descriptor.move(segment, 0);
  }

  void borrow(Bounce memory, int room) {
    memory.lend();
    bounce = memory;
    descriptor.clear();
    descriptor.add(memory.memory(), 0, room, memory.key());
  }

  @Override
  void giveBack() {
    Bounce memory = bounce;
    bounce = null;
    if (memory != null) {
      memory.takeBack();
      if (descriptor.failure() == null) {
        int length = descriptor.transferredBytes();
        if (allocates) {
          array = new byte[length];
        }
        memory.copyTo(array, offset, length);
      }
      memory.giveBack();
    }
  }
}
