/// `java.net` sockets over our channels, for servers that block in `ServerSocket.accept`: the two
/// factories of the JDK ([sluice.nio.sockets.SocketFactories]) make sockets whose clients come by a
/// listening channel. What the application connects itself stays the JDK's.
@NullMarked
package sluice.nio.sockets;

import org.jspecify.annotations.NullMarked;
