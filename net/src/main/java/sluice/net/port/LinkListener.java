package sluice.net.port;

/// A listener that receives the events of a port, not including its frames. It is invoked by the
/// port's thread.
public interface LinkListener {
  /// Invoked when the link has changed.
  ///
  /// @param line a message for operators that explains the change and contains a fix
  void changed(LinkChange change, String line);

  /// Invoked when an ARP frame has been received that was also received by the kernel.
  ///
  /// @param frame the position of the frame in the memory of the port, which is valid until this
  ///   method returns
  void heard(long frame, int bytes);
}
