/// Provides bindings to libzstd, which is located at run time. The package is used only by
/// `sluice.http`.
package sluice.sys.zstd;
