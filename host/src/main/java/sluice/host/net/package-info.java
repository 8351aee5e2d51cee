/// Networks that a host uses beside the kernel's sockets: devices of Virtual Interfaces, and
/// network stacks of this process. A table of a file, or the options of a command, describes one
/// ([sluice.host.net.NetSettings]).
@NullMarked
package sluice.host.net;

import org.jspecify.annotations.NullMarked;
