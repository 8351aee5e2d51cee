/// The networks that a host uses in addition to the kernel's sockets: devices for Virtual
/// Interfaces, and network stacks in this process. A table of a file or the options of a command
/// describe one ([sluice.host.net.NetSettings]).
@NullMarked
package sluice.host.net;

import org.jspecify.annotations.NullMarked;
