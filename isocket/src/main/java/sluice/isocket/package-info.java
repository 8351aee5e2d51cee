/// `Socket` and `ServerSocket` implementations whose bytes a loop receives.
///
/// ```
/// ISocket, IServerSocket ──▶ StreamImpl, ServerImpl (SocketImpl: options, bind, connect, accept)
///                                 │
///                            SharedStream ◀── IStreamProtocol ◀── ISocketLoop (one Loop)
///                            ├─ Arrivals: input that was not read yet
///                            ├─ FastViews: leases of the application
///                            └─ SendQueue over SendPool: output
/// ```
package sluice.isocket;
