package sluice.domain.component;

/// The use of one component's classes by another component. Immutable.
///
/// @param on the name of the used component
/// @param isDeclared true if the using component declares the dependence
/// @param isInInterface true if signatures, ancestors or fields of the using component refer to a
///   class of the used component, so that users of the former also depend on the latter; false if
///   only its code does
/// @param classes the number of classes that are used
/// @param example an example of a use: `CLASS uses CLASS`
public record Dependence(
    String on, boolean isDeclared, boolean isInInterface, int classes, String example) {}
