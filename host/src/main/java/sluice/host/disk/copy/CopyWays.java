package sluice.host.disk.copy;

/// The options for copying files into and out of an image.
///
/// @param recursive true to copy directories with all files below
/// @param archive true to keep owners, modes, times, links and attributes
public record CopyWays(boolean recursive, boolean archive) {}
