package sluice.verify.check;

/// One place in a jar that a domain treats differently.
///
/// @param className binary name, with dots
/// @param member the method or field it is in, with descriptor; empty for the class itself
/// @param line of the source, 0 if unknown
/// @param use what is used there: `java.lang.System.exit`
/// @param rule what the domain does, why, and the fix
public record Finding(String className, String member, int line, String use, Rule rule) {}
