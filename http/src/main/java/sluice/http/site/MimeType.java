package sluice.http.site;

/// The properties of a file extension. Immutable; any thread may read it.
///
/// @param contentType value of the Content-Type field, with a charset where the type has one
/// @param compressible true if compression is likely to make it smaller
public record MimeType(String contentType, boolean compressible) {}
