/// Components, which are jars with declared dependencies and required services. By configuration,
/// they are placed in the same domain or in separate domains. They can be replaced while they are
/// in use.
package sluice.domain.component;
