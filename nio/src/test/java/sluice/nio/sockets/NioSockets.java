package sluice.nio.sockets;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.channels.spi.SelectorProvider;
import sluice.testkit.sockets.SocketsUnderTest;

/// Sockets as our factories make them, over the channels of a provider.
public record NioSockets(SelectorProvider provider) implements SocketsUnderTest {
  @Override
  public Socket client() throws IOException {
    return new Stream();
  }

  @Override
  public ServerSocket server() throws IOException {
    return new Listening(provider);
  }

  private static final class Listening extends ServerSocket {
    Listening(SelectorProvider provider) throws IOException {
      super(new ListeningSocketImpl(provider));
    }

    @Override
    public Socket accept() throws IOException {
      if (isClosed()) {
        throw new SocketException("Socket is closed");
      }
      if (!isBound()) {
        throw new SocketException("Socket is not bound yet");
      }
      Stream accepted = new Stream();
      implAccept(accepted);
      return accepted;
    }
  }

  private static final class Stream extends Socket {
    Stream() throws SocketException {
      super(new StreamSocketImpl(Socket::new));
    }
  }
}
