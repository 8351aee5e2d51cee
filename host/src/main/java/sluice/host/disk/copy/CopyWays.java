package sluice.host.disk.copy;

/// How files are copied into and out of an image.
///
/// @param recursive whether directories are copied with all below them
/// @param archive whether owners, modes, times, links and attributes are kept
public record CopyWays(boolean recursive, boolean archive) {}
