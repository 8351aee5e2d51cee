package sluice.fs.cache;

/// A leased frame together with the number of the block whose content it contains. A newer frame
/// may already show that block. Instances are immutable and thread-safe, and the creator must
/// release the lease.
public record FrameLease(long number, Frame frame) {}
