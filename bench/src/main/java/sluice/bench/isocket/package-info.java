/// Echo by message size: the JDK's sockets beside isockets, read and answered in several ways.
package sluice.bench.isocket;
