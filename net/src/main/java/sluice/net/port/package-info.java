/// The interface between a network stack and its drivers ([PacketPort]), and the parts that drivers
/// share: frames ([FramePool]), device memory ([DeviceMemory]), monitoring of an interface
/// ([LinkWatch]), and interrupts that unblock a worker ([sluice.memory.AtomicVariable]).
@NullMarked
package sluice.net.port;

import org.jspecify.annotations.NullMarked;
