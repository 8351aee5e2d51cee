package sluice.loop.readiness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.Set;
import org.junit.jupiter.api.Test;

class JdkSocketsTest {
  /// A channel that cannot be made non-blocking.
  private static final class Stubborn extends SocketChannel {
    private final Socket socket = new Socket();

    Stubborn() {
      super(SelectorProvider.provider());
    }

    @Override
    protected void implConfigureBlocking(boolean block) throws IOException {
      throw new IOException("fcntl");
    }

    @Override
    protected void implCloseSelectableChannel() throws IOException {
      socket.close();
    }

    @Override
    public SocketChannel bind(SocketAddress local) {
      return this;
    }

    @Override
    public <T> SocketChannel setOption(SocketOption<T> name, T value) {
      return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
      return Set.of();
    }

    @Override
    public SocketChannel shutdownInput() {
      return this;
    }

    @Override
    public SocketChannel shutdownOutput() {
      return this;
    }

    @Override
    public Socket socket() {
      return socket;
    }

    @Override
    public boolean isConnected() {
      return true;
    }

    @Override
    public boolean isConnectionPending() {
      return false;
    }

    @Override
    public boolean connect(SocketAddress remote) {
      return true;
    }

    @Override
    public boolean finishConnect() {
      return true;
    }

    @Override
    public SocketAddress getRemoteAddress() {
      return new InetSocketAddress(0);
    }

    @Override
    public SocketAddress getLocalAddress() {
      return new InetSocketAddress(0);
    }

    @Override
    public int read(ByteBuffer into) {
      return -1;
    }

    @Override
    public long read(ByteBuffer[] into, int offset, int length) {
      return -1;
    }

    @Override
    public int write(ByteBuffer from) {
      return 0;
    }

    @Override
    public long write(ByteBuffer[] from, int offset, int length) {
      return 0;
    }
  }

  @Test
  void aChannelThatCannotBeMadeNonBlockingIsClosed() {
    SocketChannel channel = new Stubborn();
    assertThatThrownBy(() -> JdkSockets.nonBlocking(channel)).hasMessage("fcntl");
    assertThat(channel.isOpen()).isFalse();
  }
}
