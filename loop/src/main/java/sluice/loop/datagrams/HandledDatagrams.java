package sluice.loop.datagrams;

import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import sluice.loop.Loop;
import sluice.loop.sockets.Log;
import sluice.memory.View;
import sluice.memory.ViewBinder;

/// The common part of datagram ports on the kernel and on our own network stack, which consists of
/// the handler, its failures, and the counts. Owned by the loop's thread.
abstract class HandledDatagrams implements Datagrams {
  private final Loop loop;
  private final DatagramHandler handler;
  private final InetSocketAddress address;
  private final Runnable closing = this::close;
  private final Runnable flushing = this::flushAsked;
  final ViewBinder binder = new ViewBinder(Thread.currentThread());
  final DatagramPeer from = new DatagramPeer();

  /// The receiver of the datagram being built.
  DatagramPeer to = from;

  /// True while the handler runs, during which its datagrams are not sent.
  boolean handling;

  /// True if the loop will call [#flushing] before it waits.
  private boolean asked;

  boolean closed;
  long received;
  long sent;
  long dropped;

  HandledDatagrams(Loop loop, InetSocketAddress address, DatagramHandler handler) {
    this.loop = loop;
    this.address = address;
    this.handler = handler;
  }

  abstract DatagramOutput output();

  /// Releases the socket and memory. Called once.
  abstract void end();

  /// Registers this port to be closed with the loop. Called once the port is complete.
  void closeWithLoop() {
    loop.onClose(closing);
  }

  /// Closes the port after sending the staged datagrams. Idempotent.
  @Override
  public void close() {
    if (!closed) {
      flush();
      closed = true;
      loop.forgetOnClose(closing);
      end();
    }
  }

  /// Passes a datagram of `from` to the handler and unbinds its view. If the handler fails, only
  /// that datagram is lost.
  void handle(View datagram) {
    try {
      handler.received(this, datagram, from);
    } catch (RuntimeException | Error e) {
      dropped++;
      Log.LOGGER.log(Level.ERROR, "the handler of datagrams at " + address + " failed", e);
    } finally {
      output().discard();
      binder.unbind();
    }
  }

  /// Records that a datagram was staged. Datagrams staged by the handler are sent with its batch,
  /// and all others before the loop waits.
  void noteStaged() {
    if (!handling && !asked) {
      asked = true;
      loop.beforeWait(flushing);
    }
  }

  private void flushAsked() {
    asked = false;
    flush();
  }

  void checkOpen() {
    if (closed) {
      throw new IllegalStateException("the port at " + address + " is closed");
    }
  }

  @Override
  public boolean isOpen() {
    return !closed;
  }

  @Override
  public InetSocketAddress address() {
    return address;
  }

  @Override
  public long received() {
    return received;
  }

  @Override
  public long sent() {
    return sent;
  }

  @Override
  public long dropped() {
    return dropped;
  }
}
