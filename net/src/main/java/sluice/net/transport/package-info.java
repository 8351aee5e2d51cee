/// Runs a network stack on a loop and offers its UDP ports as datagrams ([StackPorts]). The device
/// is selected by an option ([StackOption]).
@NullMarked
package sluice.net.transport;

import org.jspecify.annotations.NullMarked;
