/// Contains the entry to the kernel and its building blocks: system call numbers (`SystemCall`),
/// layouts of C structures (`Layout`), and memory that is used during a call. This package is not
/// exported. Other modules reach the kernel through `sluice.sys`.
package sluice.sys.call;
