package sluice.vi;

/// A ticket for a buffer that is registered with a VI, which is posted by the methods of Level II.
/// Tickets are created by [ViBuffer#register]. Only one thread at a time may use a ticket.
public final class ViBufferTicket extends ViTicket {
  private final ViBuffer buffer;
  private final Registrar registeredWith;
  private final ViBufferAttributes attributes;
  private final long key;
  private boolean live = true;

  ViBufferTicket(ViBuffer buffer, Registrar vi, ViBufferAttributes attributes, long key) {
    super(1);
    this.buffer = buffer;
    this.registeredWith = vi;
    this.attributes = attributes;
    this.key = key;
  }

  /// Returns the buffer that is registered by this ticket.
  public ViBuffer buffer() {
    return buffer;
  }

  /// Returns the kind of access that the device has to the buffer.
  public ViBufferAttributes attributes() {
    return attributes;
  }

  Registrar registeredWith() {
    return registeredWith;
  }

  long key() {
    return key;
  }

  boolean isLive() {
    return live;
  }

  void end() {
    live = false;
  }

  /// Checks that the given part of the buffer may be posted.
  void check(Registrar vi, boolean send, int offset, int length) throws ViException {
    if (!live || registeredWith != vi) {
      throw new ViMisconfigured(
          "the buffer is not registered with this VI. Fix: ViBuffer.register(vi, …) first");
    }
    if (!send && attributes == ViBufferAttributes.READ_ONLY) {
      throw new ViMisconfigured(
          "the buffer is registered for sending only. Fix: register it READ_WRITE");
    }
    if ((offset | length) < 0 || offset > buffer.sizeBytes() - length) {
      throw new IndexOutOfBoundsException(
          "[" + offset + ", +" + length + ") of a buffer of " + buffer.sizeBytes() + " bytes");
    }
  }

  @Override
  void giveBack() {
    buffer.giveBack();
  }
}
