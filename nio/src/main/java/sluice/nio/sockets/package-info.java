/// `java.net` sockets over Sluice's channels, for servers that block in `ServerSocket.accept`. The
/// two factories for the JDK ([sluice.nio.sockets.SocketFactories]) create sockets whose clients
/// arrive through a listening channel. Sockets that the application connects itself remain the
/// JDK's.
@NullMarked
package sluice.nio.sockets;

import org.jspecify.annotations.NullMarked;
