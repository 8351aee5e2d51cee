package sluice.testkit.sockets;

/// The control: checks that the contract describes the JDK's sockets.
final class JdkSocketTest extends SocketContract {
  @Override
  protected SocketsUnderTest open() {
    return new SocketsUnderTest.Jdk();
  }
}
