package sluice.http.site;

/// What a file's extension says about it. Immutable; any thread may read it.
///
/// @param contentType value of the Content-Type field, with a charset where the type has one
/// @param compressible whether compression is likely to make it smaller
public record MimeType(String contentType, boolean compressible) {}
