package sluice.domain.portal.copy;

/// The superclass of objects that are never copied, which are the proxies of portals. Instances may
/// be used by any thread.
public abstract class PassedByReference {}
