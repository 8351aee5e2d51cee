package sluice.domain.component;

/// The numbers of classes that a component consists of and depends on, itself included. Immutable.
///
/// @param own the classes of the component
/// @param inInterface the classes of all components in the closure of "its interface names"
/// @param inAll the classes of all components in the closure of "its interface or its code names"
/// @param jdkInInterface the classes of the JDK in the first closure
/// @param jdkInAll the classes of the JDK that the code of the second closure names itself
public record ClosureSizes(int own, int inInterface, int inAll, int jdkInInterface, int jdkInAll) {}
