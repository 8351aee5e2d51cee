package sluice.loop.readiness;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import org.junit.jupiter.api.Test;
import sluice.sys.Errno;

class JdkErrnoTest {
  @Test
  void knowsTheMessagesOfTheJdk() {
    assertThat(JdkErrno.of(new SocketException("Connection reset"))).isEqualTo(Errno.ECONNRESET);
    assertThat(JdkErrno.of(new IOException("Broken pipe"))).isEqualTo(Errno.EPIPE);
    assertThat(JdkErrno.of(new IOException("Too many open files"))).isEqualTo(Errno.EMFILE);
    assertThat(JdkErrno.of(new IOException("Too many open files in system")))
        .isEqualTo(Errno.ENFILE);
    assertThat(JdkErrno.of(new ConnectException("Connection refused")))
        .isEqualTo(Errno.ECONNREFUSED);
    assertThat(JdkErrno.of(new ConnectException("Connection timed out")))
        .isEqualTo(Errno.ETIMEDOUT);
    assertThat(JdkErrno.of(new NoRouteToHostException("No route to host")))
        .isEqualTo(Errno.EHOSTUNREACH);
    assertThat(JdkErrno.of(new ClosedChannelException())).isEqualTo(Errno.EPIPE);
    assertThat(JdkErrno.of(new NotYetConnectedException())).isEqualTo(Errno.ENOTCONN);
    assertThat(JdkErrno.of(new IOException())).isEqualTo(Errno.EIO);
    assertThat(JdkErrno.result(new IOException("what is this"))).isEqualTo(-Errno.EIO);
  }
}
