package sluice.domain.portal.copy;

/// The superclass of objects that are never copied: the proxies of portals. Instances may be used
/// by any thread.
public abstract class PassedByReference {}
