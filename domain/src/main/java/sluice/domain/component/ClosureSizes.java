package sluice.domain.component;

/// The numbers of classes of which a component consists and on which it depends, including its own.
/// Immutable.
///
/// @param own the number of classes of the component
/// @param inInterface the classes of all components in the closure of "its interface names"
/// @param inAll the classes of all components in the closure of "its interface or its code names"
/// @param jdkInInterface the classes of the JDK in the first closure
/// @param jdkInAll the classes of the JDK that are named by the code of the second closure
public record ClosureSizes(int own, int inInterface, int inAll, int jdkInInterface, int jdkInAll) {}
