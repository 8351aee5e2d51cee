package sluice.http;

import org.junit.jupiter.api.condition.DisabledIfEnvironmentVariable;
import sluice.loop.engine.Backend;

@DisabledIfEnvironmentVariable(
    named = "SLUICE_TURN",
    matches = "[^036]",
    disabledReason = "epoll, poll and JDK channels have days by turns")
class HttpEpollTest extends HttpContract {
  @Override
  Backend backend() {
    return Backend.EPOLL;
  }
}
