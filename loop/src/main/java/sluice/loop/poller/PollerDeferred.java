package sluice.loop.poller;

/// A [PollerKernel] that defers every change until the next wait and interrupts a wait in progress.
/// The threading and locking rules of [PollerKernel] apply.
abstract class PollerDeferred extends PollerKernel {
  PollerDeferred(PollerTable table) {
    super(table);
  }

  @Override
  final int added(int slot) {
    table.mark(slot);
    return 0;
  }

  @Override
  final void removed(int slot) {
    table.mark(slot);
  }

  @Override
  final void changed(int slot, boolean waiting) {
    table.mark(slot);
  }

  @Override
  final boolean interrupts() {
    return true;
  }
}
