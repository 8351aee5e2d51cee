package sluice.http.handlers;

/// A handler of the requests that a route's interruptlet leaves: an [HttpSlowHandler], on a thread
/// where it may block, or an [HttpAsyncHandler], which answers later.
public sealed interface HttpDeferred permits HttpSlowHandler, HttpAsyncHandler {}
