package sluice.fs.cache;

/// A leased frame and the block whose content it holds, even if a newer frame shows that block by
/// now. Immutable and safe for use by any thread; its creator ends the lease.
public record FrameLease(long number, Frame frame) {}
