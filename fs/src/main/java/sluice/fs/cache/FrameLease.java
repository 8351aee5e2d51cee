package sluice.fs.cache;

/// A frame with a lease, and the block whose bytes it holds even if a newer frame shows that block
/// by now. Immutable: any thread may use it; its maker ends the lease.
public record FrameLease(long number, Frame frame) {}
