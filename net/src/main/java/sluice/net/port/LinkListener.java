package sluice.net.port;

/// Is told what a port notices beside its frames. Called by the port's thread.
public interface LinkListener {
  /// The link has changed.
  ///
  /// @param line for people: what it means, and what to do
  void changed(LinkChange change, String line);

  /// A frame of ARP was heard that the kernel got too.
  ///
  /// @param frame where it begins in the port's memory, good until this returns
  void heard(long frame, int bytes);
}
