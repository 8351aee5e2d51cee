/// libfabric, found at run time: `Libfabric` opens it, `FabricEndpoint` calls it through the tables
/// of functions that its objects have; the others are its structures. For `sluice.vi` alone.
package sluice.sys.fabric;
