/// The entry to the kernel and its building blocks: system call numbers (`SystemCall`), layouts of
/// C structures (`Layout`), memory for the time of a call. Not exported: other modules reach the
/// kernel through `sluice.sys`.
package sluice.sys.call;
