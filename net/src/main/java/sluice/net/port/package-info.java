/// The interface between a network stack and its drivers ([PacketPort]). This package also contains
/// the components that are shared by drivers, such as frames ([FramePool]), device memory
/// ([DeviceMemory]), the monitoring of an interface ([LinkWatch]), and interrupts that unblock a
/// worker ([sluice.memory.AtomicVariable]).
@NullMarked
package sluice.net.port;

import org.jspecify.annotations.NullMarked;
