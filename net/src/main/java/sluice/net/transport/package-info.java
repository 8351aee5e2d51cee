/// A network stack at work: on a loop, as datagrams ([StackPorts]), opened by what an option names
/// ([StackOption]).
@NullMarked
package sluice.net.transport;

import org.jspecify.annotations.NullMarked;
