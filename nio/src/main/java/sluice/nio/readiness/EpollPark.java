package sluice.nio.readiness;

import java.io.FileDescriptor;
import java.io.IOException;
import sun.nio.ch.Net;
import sun.nio.ch.SelChImpl;
import sun.nio.ch.SelectionKeyImpl;

/// Parks a virtual thread until an epoll descriptor is ready, without blocking its carrier. The
/// JDK's pollers treat this object as a channel. It is owned by the selecting thread.
final class EpollPark implements SelChImpl {
  private int fd;

  /// Parks until the epoll descriptor has events, the timeout expires, or the thread is
  /// interrupted.
  ///
  /// @param nanos the timeout, 0 to return immediately, or a negative number to wait indefinitely
  void await(int epollFd, long nanos) throws IOException {
    if (nanos != 0) {
      fd = epollFd;
      park(Net.POLLIN, Math.max(nanos, 0));
    }
  }

  @Override
  public int getFDVal() {
    return fd;
  }

  @Override
  public boolean isOpen() {
    return true;
  }

  @Override
  public FileDescriptor getFD() {
    throw new UnsupportedOperationException("only virtual threads are parked here");
  }

  @Override
  public boolean translateAndUpdateReadyOps(int ops, SelectionKeyImpl key) {
    throw notSelectable();
  }

  @Override
  public boolean translateAndSetReadyOps(int ops, SelectionKeyImpl key) {
    throw notSelectable();
  }

  @Override
  public int translateInterestOps(int ops) {
    throw notSelectable();
  }

  private static UnsupportedOperationException notSelectable() {
    return new UnsupportedOperationException("an epoll descriptor has no key");
  }

  @Override
  public void kill() {}

  @Override
  public void close() {}
}
