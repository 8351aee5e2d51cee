/// Components: jars with declared dependencies and needs, put together in one domain or apart by
/// configuration, and replaced while they are used.
package sluice.domain.component;
