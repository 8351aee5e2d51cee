package sluice.host.disk.copy;

/// The options for copying files to and from an image.
///
/// @param recursive true to copy directories including all files in them
/// @param archive true to preserve owners, modes, times, links and attributes
public record CopyWays(boolean recursive, boolean archive) {}
