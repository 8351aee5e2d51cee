package sluice.vi;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import sluice.vi.device.Device;
import sluice.vi.device.Listener;
import sluice.vi.device.Port;

/// A server that accepts connections for one tag at one address. While it is open, a [Vi] that
/// connects with this tag waits until it is accepted. A connection with a tag that has no server is
/// refused immediately. Any thread may call.
public final class ViServer implements AutoCloseable {
  private final ViAddress address;
  private final int tag;
  private final Listener listener;
  private final Runnable ending = this::close;

  /// Opens a server.
  ///
  /// @throws ViMisconfigured if another server already uses this tag at this address, or the
  ///   address does not exist
  /// @throws ViClosed if the device has been closed
  public ViServer(ViAddress address, int tag) throws ViException {
    this.address = address;
    this.tag = tag;
    Device device = address.nic().device();
    try {
      listener = device.listen(address.place(), tag);
    } catch (IOException e) {
      throw address.nic().told("no server at " + address.place(), e);
    }
    address.nic().opened(ending);
  }

  /// Waits for a connection.
  ///
  /// @param sendQ the completion queue for sends, or null
  /// @param recvQ the completion queue for receives, or null
  /// @throws ViTimeout if no connection arrives before the timeout expires
  /// @throws ViRefused if the peer requires a different reliability, which may not apply to the
  ///   next peer
  /// @throws ViClosed if the server or its device is closed
  public Vi accept(
      ViAttributes attr,
      @Nullable ViCompletionQ sendQ,
      @Nullable ViCompletionQ recvQ,
      int microseconds)
      throws ViException {
    Port port;
    try {
      port = listener.accept(attr.spec(tag), Vi.nanos(microseconds));
    } catch (IOException e) {
      throw address.nic().told("accepting at " + address.place(), e);
    }
    if (port == null) {
      throw new ViTimeout("no connection came within " + microseconds + " microseconds");
    }
    return new Vi(address.nic(), port, attr, sendQ, recvQ);
  }

  /// Waits for a connection as the other [#accept] does, without completion queues.
  public Vi accept(ViAttributes attr, int microseconds) throws ViException {
    return accept(attr, null, null, microseconds);
  }

  /// Refuses all further connections. Accepted connections remain open. Idempotent.
  @Override
  public void close() {
    address.nic().closed(ending);
    listener.close();
  }
}
