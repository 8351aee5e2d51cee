package sluice.vi;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A byte array that Level I receives into: the array, where in it, and the length of what came. Of
/// one thread at a time.
public final class ViBATicket extends ViTicket {
  private byte[] array;
  private final int offset;
  private final boolean allocates;

  /// The array as a device sees it.
  private @Nullable MemorySegment segment;

  /// While it is posted: where the device puts the message.
  private @Nullable Bounce bounce;

  /// @param array where a message goes, from `offset` to its end at most
  public ViBATicket(byte[] array, int offset) {
    super(1);
    Objects.checkIndex(offset, array.length + 1);
    this.array = array;
    this.offset = offset;
    allocates = false;
  }

  /// A ticket that gets an array of the message's length when it completes.
  ViBATicket() {
    super(1);
    array = new byte[0];
    offset = 0;
    allocates = true;
  }

  /// The array, with the message from the offset on.
  public byte[] byteArray() {
    return array;
  }

  /// Where in the array the message begins.
  public int offset() {
    return offset;
  }

  boolean allocates() {
    return allocates;
  }

  int room() {
    return array.length - offset;
  }

  /// The device puts the message into the array itself.
  void lendArray(int room) {
    MemorySegment memory = segment;
    if (memory == null) {
      memory = MemorySegment.ofArray(array);
      segment = memory;
    }
    descriptor.clear();
    descriptor.add(memory, offset, room, 0);
  }

  /// For a send: the device copies from the array itself.
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

  /// The caller gets the array back before the device has sent all of it.
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
