package sluice.domain.component;

/// How many classes a component has and leans on, itself included. Immutable.
///
/// @param own classes of the component
/// @param inInterface classes of all components in the closure of "its interface names"
/// @param inAll classes of all components in the closure of "its interface or its code names"
/// @param jdkInInterface the classes of the JDK in the first closure
/// @param jdkInAll the classes of the JDK that the code of the second closure names itself
public record ClosureSizes(int own, int inInterface, int inAll, int jdkInInterface, int jdkInAll) {}
