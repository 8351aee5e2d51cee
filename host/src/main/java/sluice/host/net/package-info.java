/// The networks that a host uses in addition to the sockets of the kernel, which are devices for
/// Virtual Interfaces and network stacks in this process. Each network is specified by a table of a
/// file or by the options of a command ([sluice.host.net.NetSettings]).
@NullMarked
package sluice.host.net;

import org.jspecify.annotations.NullMarked;
