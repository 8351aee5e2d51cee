package sluice.nio.adaptors;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import org.jspecify.annotations.Nullable;

/// A dummy implementation that the constructors of `Socket` and `ServerSocket` require. It is never
/// used because the adaptors override every method that would call it. Stateless.
final class NoSocketImpl extends SocketImpl {
  private static UnsupportedOperationException no() {
    return new UnsupportedOperationException("the channel does this");
  }

  @Override
  protected void create(boolean stream) {}

  @Override
  protected void connect(String host, int port) {
    throw no();
  }

  @Override
  protected void connect(InetAddress address, int port) {
    throw no();
  }

  @Override
  protected void connect(SocketAddress address, int timeout) {
    throw no();
  }

  @Override
  protected void bind(InetAddress host, int port) {
    throw no();
  }

  @Override
  protected void listen(int backlog) {
    throw no();
  }

  @Override
  protected void accept(SocketImpl s) {
    throw no();
  }

  @Override
  protected InputStream getInputStream() {
    throw no();
  }

  @Override
  protected OutputStream getOutputStream() {
    throw no();
  }

  @Override
  protected int available() {
    throw no();
  }

  @Override
  protected void close() throws IOException {}

  @Override
  protected void sendUrgentData(int data) {
    throw no();
  }

  @Override
  public void setOption(int option, @Nullable Object value) throws SocketException {
    throw no();
  }

  @Override
  public Object getOption(int option) throws SocketException {
    throw no();
  }
}
