/// What of the JDK's threads is inside of it: carriers of one's own.
package sluice.sys.threads;
