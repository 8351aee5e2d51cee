/// A web application with a database on unmodified Tomcat: `PetStoreBench`; `PetServer` is the
/// process.
package sluice.bench.petstore;
