package sluice.loop.datagrams;

import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import sluice.loop.Loop;
import sluice.loop.sockets.Log;
import sluice.memory.View;
import sluice.memory.ViewBinder;

/// What datagrams of the kernel and of a stack of our own have in common: the handler, its
/// failures, and the counts. Owned by the loop's thread.
abstract class HandledDatagrams implements Datagrams {
  private final Loop loop;
  private final DatagramHandler handler;
  private final InetSocketAddress address;
  private final Runnable closing = this::close;
  private final Runnable flushing = this::flushAsked;
  final ViewBinder binder = new ViewBinder(Thread.currentThread());
  final DatagramPeer from = new DatagramPeer();

  /// Of the datagram that is being built.
  DatagramPeer to = from;

  /// Whether the handler runs: what it sends waits until it returns.
  boolean handling;

  /// Whether the loop calls [#flushing] before it waits.
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

  /// Gives back socket and memory. Once.
  abstract void end();

  /// When all is made: the loop closes this when it ends.
  void closeWithLoop() {
    loop.onClose(closing);
  }

  /// Idempotent. What is staged leaves first.
  @Override
  public void close() {
    if (!closed) {
      flush();
      closed = true;
      loop.forgetOnClose(closing);
      end();
    }
  }

  /// Shows a datagram of `from` to the handler, whose failure costs that datagram alone. Unbinds
  /// it.
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

  /// A datagram was staged. What the handler stages leaves with its batch, the rest of a turn
  /// before the loop waits.
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
