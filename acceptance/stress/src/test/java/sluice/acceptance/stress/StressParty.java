package sluice.acceptance.stress;

import sluice.domain.portal.Party;

/// A party that never ends. Immutable: any thread may use it.
record StressParty(String name) implements Party {
  @Override
  public ClassLoader loader() {
    return StressParty.class.getClassLoader();
  }

  @Override
  public boolean alive() {
    return true;
  }

  @Override
  public void onEnd(Runnable task) {}
}
