package sluice.vi;

import java.util.ArrayList;
import java.util.List;
import sluice.vi.device.Descriptor;

/// A message that is gathered from, or scattered over, up to eight segments of registered buffers.
/// Only one thread at a time may use it.
public final class ViDescriptor extends ViTicket {
  /// The maximum number of segments.
  public static final int MAX_PIECES = Descriptor.MAX_PIECES;

  private record Piece(ViBufferTicket ticket, int offset, int length) {}

  private final List<Piece> pieces = new ArrayList<>(MAX_PIECES);

  /// Creates a descriptor without segments.
  public ViDescriptor() {
    super(MAX_PIECES);
  }

  /// Appends a segment.
  ///
  /// @throws IllegalStateException if there are already [#MAX_PIECES] segments, or the device owns
  ///   the descriptor
  public ViDescriptor add(ViBufferTicket ticket, int offset, int length) {
    checkIdle();
    if (pieces.size() == MAX_PIECES) {
      throw new IllegalStateException("a message has at most " + MAX_PIECES + " pieces");
    }
    pieces.add(new Piece(ticket, offset, length));
    return this;
  }

  /// Removes all segments.
  public void clear() {
    checkIdle();
    pieces.clear();
  }

  /// Checks the segments, passes their buffers to the device, and adds them to the device's
  /// descriptor.
  void claim(Registrar vi, boolean send) throws ViException {
    if (pieces.isEmpty()) {
      throw new IllegalStateException("a descriptor without pieces. Fix: add one");
    }
    for (int i = 0; i < pieces.size(); i++) {
      Piece piece = pieces.get(i);
      piece.ticket.check(vi, send, piece.offset, piece.length);
    }
    descriptor.clear();
    int claimed = 0;
    try {
      for (; claimed < pieces.size(); claimed++) {
        Piece piece = pieces.get(claimed);
        if (isFirstOfItsBuffer(claimed)) {
          piece.ticket.buffer().claim();
        }
        descriptor.add(
            piece.ticket.buffer().memory(), piece.offset, piece.length, piece.ticket.key());
      }
    } finally {
      if (claimed < pieces.size()) {
        giveBack(claimed);
      }
    }
  }

  private boolean isFirstOfItsBuffer(int index) {
    for (int i = 0; i < index; i++) {
      if (pieces.get(i).ticket == pieces.get(index).ticket) {
        return false;
      }
    }
    return true;
  }

  private void giveBack(int count) {
    for (int i = 0; i < count; i++) {
      if (isFirstOfItsBuffer(i)) {
        pieces.get(i).ticket.buffer().giveBack();
      }
    }
  }

  @Override
  void giveBack() {
    giveBack(pieces.size());
  }
}
