package sluice.domain.portal.copy;

/// What is never copied: the proxies of portals. Instances may be used by any thread.
public abstract class PassedByReference {}
