package sluice.vi;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A byte array that Level I receives into: the array, where in it, and the length of what came. Of
/// one thread at a time.
public final class ViBATicket extends ViTicket {
  private byte[] array;
  private final int offset;
  private final boolean allocates;

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
