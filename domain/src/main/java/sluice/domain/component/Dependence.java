package sluice.domain.component;

/// The use of one component's classes by another component. Immutable.
///
/// @param on the name of the component that is used
/// @param isDeclared true if the using component declares it
/// @param isInInterface true if signatures, ancestors or fields of the using component name a class
///   of the used one, so that its own users depend on that too; false if only its code does
/// @param classes the number of classes that are named
/// @param example one use: `CLASS uses CLASS`
public record Dependence(
    String on, boolean isDeclared, boolean isInInterface, int classes, String example) {}
