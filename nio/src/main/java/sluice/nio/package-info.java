/// The provider that users name, [SluiceSelectorProvider], the agent that sets it, and the choice
/// of an engine. The packages, from the top; each imports only those below it, and only this one is
/// exported:
///
/// ```
/// nio           provider, agent, EngineChoice and the engines              → all
/// ─────────────────────────────────────────────────────────────────────────────────────────────
/// ring          the completion engine's selector, and the ring that
///               moves the bytes of its channels                            → channels, descriptors
/// front         files in front of an application, over [sluice.http.FrontServer]
///                                                                          → channels, descriptors
/// channels      the SocketChannel, ServerSocketChannel, DatagramChannel
///               and Pipe                                                   → adaptors, descriptors
/// adaptors      their java.net views: Socket, ServerSocket, DatagramSocket → descriptors
/// descriptors   a descriptor: waiting in it, closing it, moving its bytes,
///               its options, addresses and errors                          → nothing of nio
/// ─────────────────────────────────────────────────────────────────────────────────────────────
/// readiness     the readiness engine: the JDK's channels, a selector of
///               ours                                                       → nothing of nio
/// ```
///
/// A channel knows a ring only as a [sluice.nio.channels.StreamPort] or
/// [sluice.nio.channels.AcceptPort], and an adaptor knows a channel only by its `Adapted…`
/// interface.
package sluice.nio;
