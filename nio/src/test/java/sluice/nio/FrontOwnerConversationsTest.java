package sluice.nio;

import sluice.nio.front.FrontMode;

/// The conversations where the application's selecting thread turns the loop.
class FrontOwnerConversationsTest extends FrontConversationsTest {
  @Override
  FrontMode mode() {
    return FrontMode.OWNER;
  }
}
