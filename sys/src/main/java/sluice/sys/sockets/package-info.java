/// Socket options and errors that match those of the JDK's sockets and channels, for all socket
/// types of this project.
@NullMarked
package sluice.sys.sockets;

import org.jspecify.annotations.NullMarked;
