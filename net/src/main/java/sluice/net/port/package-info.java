/// The seam between a network stack and what carries its frames ([PacketPort]), and what drivers
/// share: frames ([FramePool]), memory of devices ([DeviceMemory]), the watch over an interface
/// ([LinkWatch]), and interrupts that unblock a worker ([sluice.memory.AtomicVariable]).
@NullMarked
package sluice.net.port;

import org.jspecify.annotations.NullMarked;
