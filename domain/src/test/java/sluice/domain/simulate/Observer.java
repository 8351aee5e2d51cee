package sluice.domain.simulate;

/// Told of the virtual threads of woven code. Woven; while one of its methods runs, the thread is
/// not changed.
public interface Observer {
  /// Hears nothing.
  Observer NONE =
      new Observer() {
        @Override
        public void ready(Thread thread) {}

        @Override
        public void begins(Thread thread, Thread carrier) {}

        @Override
        public void comesBack(Thread thread, Thread carrier) {}

        @Override
        public void rests() {}
      };

  /// Its scheduler is about to get it.
  void ready(Thread thread);

  /// A carrier is about to run it.
  void begins(Thread thread, Thread carrier);

  /// It waits, yields or has ended.
  void comesBack(Thread thread, Thread carrier);

  /// No thread goes on before time has passed.
  void rests();
}
