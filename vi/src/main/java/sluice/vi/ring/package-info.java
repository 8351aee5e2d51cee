/// The device `ring`: messages over TCP, moved by a loop of its own. From below: [RingLoop] turns
/// an engine, [RingConnection] is a socket, [RingPort] an end of a VI, [RingDevice] creates them.
package sluice.vi.ring;
