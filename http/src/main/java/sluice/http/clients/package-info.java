/// Which address a client has, and how much an address may ask for: limits ([ClientLimits]), what
/// is counted for each address ([ClientTable]), and the address that a proxy tells ([ProxyHeader]).
@org.jspecify.annotations.NullMarked
package sluice.http.clients;
