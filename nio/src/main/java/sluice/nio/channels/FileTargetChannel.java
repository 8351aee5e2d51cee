package sluice.nio.channels;

import java.io.FileDescriptor;
import java.io.IOException;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.IllegalSelectorException;
import java.nio.channels.spi.SelectorProvider;
import org.jspecify.annotations.Nullable;
import sun.nio.ch.IOUtil;
import sun.nio.ch.SelChImpl;
import sun.nio.ch.SelectionKeyImpl;

/// A stream socket for which `FileChannel.transferTo` maps the file. Any thread may use it.
///
/// If the target channel has an unknown class, the JDK reads and writes 8 KiB at a time. If the
/// class implements the interface of the JDK's selectable channels, the JDK writes from the mapped
/// file as many bytes as the socket accepts at once. The only copy is then made by the kernel from
/// the page cache. A transfer without any copy is reserved for the JDK's own class. The interface
/// is in `sun.nio.ch` (see [StreamChannels]). Its other methods exist for the JDK's selectors. Such
/// a selector accepts any channel that implements the interface, but it fails when it first asks
/// for the events of this channel, because this channel belongs to another provider.
final class FileTargetChannel extends SluiceSocketChannel implements SelChImpl {
  private FileTargetChannel(SelectorProvider provider, @Nullable ProtocolFamily family)
      throws IOException {
    super(provider, family);
  }

  private FileTargetChannel(
      SelectorProvider provider, StandardProtocolFamily family, int fd, SocketAddress remote) {
    super(provider, family, fd, remote);
  }

  static SluiceSocketChannel open(SelectorProvider provider, @Nullable ProtocolFamily family)
      throws IOException {
    return new FileTargetChannel(provider, family);
  }

  static SluiceSocketChannel connected(
      SelectorProvider provider, StandardProtocolFamily family, int fd, SocketAddress remote) {
    return new FileTargetChannel(provider, family, fd, remote);
  }

  @Override
  public FileDescriptor getFD() {
    return IOUtil.newFD(getFDVal());
  }

  @Override
  public int getFDVal() {
    return core().fd();
  }

  @Override
  public boolean translateAndUpdateReadyOps(int operations, SelectionKeyImpl key) {
    throw new IllegalSelectorException();
  }

  @Override
  public boolean translateAndSetReadyOps(int operations, SelectionKeyImpl key) {
    throw new IllegalSelectorException();
  }

  @Override
  public int translateInterestOps(int operations) {
    throw new IllegalSelectorException();
  }

  @Override
  public void kill() throws IOException {
    close();
  }
}
