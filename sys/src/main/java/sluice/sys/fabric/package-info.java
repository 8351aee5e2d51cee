/// A binding of libfabric, which is loaded at run time: `Libfabric` opens it, `FabricEndpoint`
/// calls it through the function tables of its objects; the other classes are its structures. For
/// `sluice.vi` alone.
package sluice.sys.fabric;
