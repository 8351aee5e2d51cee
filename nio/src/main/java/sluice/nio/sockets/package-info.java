/// `java.net` sockets on top of Sluice's channels, for servers that block in `ServerSocket.accept`.
/// The two factories that are installed in the JDK ([sluice.nio.sockets.SocketFactories]) create
/// sockets whose clients arrive through a listening channel. Sockets that the application connects
/// itself are still the JDK's own.
@NullMarked
package sluice.nio.sockets;

import org.jspecify.annotations.NullMarked;
