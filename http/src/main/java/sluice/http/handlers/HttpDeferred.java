package sluice.http.handlers;

/// What answers the requests of a route that its interruptlet leaves: an [HttpSlowHandler] on a
/// thread where it may block, or an [HttpAsyncHandler] later.
public sealed interface HttpDeferred permits HttpSlowHandler, HttpAsyncHandler {}
