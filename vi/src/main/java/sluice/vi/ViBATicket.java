package sluice.vi;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A ticket for a byte array that Level I receives into: the array, the offset of the message, and
/// its length. Used by one thread at a time.
public final class ViBATicket extends ViTicket {
  private byte[] array;
  private final int offset;
  private final boolean allocates;

  /// The array as a memory segment for a device.
  private @Nullable MemorySegment segment;

  /// The buffer into which the device puts the message, while the ticket is posted.
  private @Nullable Bounce bounce;

  /// @param array the array that receives a message, from `offset` to its end at most
  public ViBATicket(byte[] array, int offset) {
    super(1);
    Objects.checkIndex(offset, array.length + 1);
    this.array = array;
    this.offset = offset;
    allocates = false;
  }

  /// Creates a ticket that gets an array of the message's length when it completes.
  ViBATicket() {
    super(1);
    array = new byte[0];
    offset = 0;
    allocates = true;
  }

  /// Returns the array, which holds the message from the offset on.
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

  /// Lends the array to the device for a receive.
  void lendArray(int room) {
    MemorySegment memory = segment;
    if (memory == null) {
      memory = MemorySegment.ofArray(array);
      segment = memory;
    }
    descriptor.clear();
    descriptor.add(memory, offset, room, 0);
  }

  /// Lends an array to the device for a send: the device copies from the array itself.
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

  /// Returns the array to the caller before the device has sent all of it, by giving the device a
  /// copy.
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
