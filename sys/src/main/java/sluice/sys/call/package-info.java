/// The way into the kernel, and what calls are made of: numbers of system calls (`SystemCall`),
/// layouts of C structures (`Layout`), memory that is lent to a call. Not exported: what other
/// modules need of the kernel is in `sluice.sys`.
package sluice.sys.call;
