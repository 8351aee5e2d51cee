package sluice.vi;

import java.util.concurrent.TimeUnit;

/// The other process of [LocalProcessesTest] and [OfiProcessesTest]: connects and does what its
/// second argument says.
final class LocalPeer {
  private LocalPeer() {}

  private static Vi connect(ViAddress place, ViAttributes attributes, boolean serves)
      throws ViException {
    if (!serves) {
      return new Vi(place, attributes, null, null, 1);
    }
    try (ViServer server = new ViServer(place, 1)) {
      return server.accept(attributes, Vi.INFINITE);
    }
  }

  /// @param args the place, `echo`, `spin` (an echo that never parks), `flood`, or `serve` (a
  ///   server that floods what connects), and the device
  public static void main(String[] args) throws Exception {
    WaitMode mode = args[1].equals("spin") ? WaitMode.SPIN : WaitMode.HYBRID;
    ViAttributes attributes = ViAttributes.DEFAULT.withWaiting(mode);
    try (Nic nic = Nic.open(args[2]);
        Vi vi = connect(nic.address(args[0]), attributes, args[1].equals("serve"))) {
      int micros = (int) TimeUnit.SECONDS.toMicros(100);
      if (!args[1].equals("flood") && !args[1].equals("serve")) {
        byte[] message;
        do {
          message = vi.recv(micros);
          vi.send(message, 0, message.length, micros);
        } while (message.length > 0);
      } else {
        byte[] message = new byte[40_000];
        while (true) {
          vi.send(message, 0, message.length, micros);
        }
      }
    }
  }
}
