package sluice.http;

import org.junit.jupiter.api.condition.DisabledIfEnvironmentVariable;
import sluice.loop.engine.Backend;

@DisabledIfEnvironmentVariable(
    named = "SLUICE_TURN",
    matches = "[^25]",
    disabledReason = "epoll, poll and JDK channels have days by turns")
class HttpJdkTest extends HttpContract {
  @Override
  Backend backend() {
    return Backend.JDK;
  }
}
