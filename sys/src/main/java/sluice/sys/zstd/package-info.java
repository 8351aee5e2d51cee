/// libzstd, found at run time. For `sluice.http` alone.
package sluice.sys.zstd;
