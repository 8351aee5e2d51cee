/// Runs a network stack on a loop and offers its UDP ports as datagrams ([StackPorts]). An option
/// selects the device ([StackOption]).
@NullMarked
package sluice.net.transport;

import org.jspecify.annotations.NullMarked;
