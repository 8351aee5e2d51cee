package sluice.net.port;

/// Receives the events of a port besides its frames. Called by the port's thread.
public interface LinkListener {
  /// Handles a change of the link.
  ///
  /// @param line a message for operators with the meaning and the fix
  void changed(LinkChange change, String line);

  /// Handles an ARP frame that the kernel has received too.
  ///
  /// @param frame the position in the port's memory, valid until this method returns
  void heard(long frame, int bytes);
}
