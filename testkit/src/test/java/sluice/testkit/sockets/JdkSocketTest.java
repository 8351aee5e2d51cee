package sluice.testkit.sockets;

/// The control: what the contract says is what the JDK does.
final class JdkSocketTest extends SocketContract {
  @Override
  protected SocketsUnderTest open() {
    return new SocketsUnderTest.Jdk();
  }
}
