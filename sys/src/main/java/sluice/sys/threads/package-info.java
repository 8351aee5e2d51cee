/// Provides access to internals of the JDK's threads, such as custom carriers of virtual threads,
/// and to threads as seen by the kernel.
package sluice.sys.threads;
