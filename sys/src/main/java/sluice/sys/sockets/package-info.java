/// Socket options and errors as the JDK's sockets and channels have them, for all of ours.
@NullMarked
package sluice.sys.sockets;

import org.jspecify.annotations.NullMarked;
