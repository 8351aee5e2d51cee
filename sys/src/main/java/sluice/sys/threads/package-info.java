/// Access to internals of the JDK's threads, such as custom carriers of virtual threads, and to the
/// kernel's view of threads.
package sluice.sys.threads;
