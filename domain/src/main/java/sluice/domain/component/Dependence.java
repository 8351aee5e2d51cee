package sluice.domain.component;

/// That one component uses classes of another. Immutable.
///
/// @param on the name of the other
/// @param isDeclared whether the component says so
/// @param isInInterface whether signatures, ancestors or fields of the component name a class of
///   the other, so that its own users depend on the other too; else only the code does
/// @param classes how many classes of the other are named
/// @param example one use: `CLASS uses CLASS`
public record Dependence(
    String on, boolean isDeclared, boolean isInInterface, int classes, String example) {}
