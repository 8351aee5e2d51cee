/// Bindings to libzstd, which is found at run time. For `sluice.http` only.
package sluice.sys.zstd;
