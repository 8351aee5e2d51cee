/// Provides a binding of libfabric, which is loaded at run time. `Libfabric` loads the library,
/// `FabricEndpoint` calls it through the function tables of its objects, and all other classes are
/// structures. The package is used only by `sluice.vi`.
package sluice.sys.fabric;
